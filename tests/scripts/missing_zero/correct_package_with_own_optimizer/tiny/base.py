class Optimizer:
    def __init__(self, parameters):
        self.parameters = dict(parameters)

    def step(self):
        for name, parameter in self.parameters.items():
            if parameter.grad is None:
                continue
            self.one_step(name, parameter)
            self._forget(parameter)

    def one_step(self, name, parameter):
        raise NotImplementedError

    def _forget(self, parameter):
        parameter.grad = None
