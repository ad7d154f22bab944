from .base import Optimizer


class Adam(Optimizer):
    def __init__(self, parameters, lr):
        super().__init__(parameters)
        self.lr = lr

    def one_step(self, name, parameter):
        parameter.data.add_(parameter.grad.sign(), alpha=-self.lr)
