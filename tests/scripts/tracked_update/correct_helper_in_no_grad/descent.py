def descend(tensor, rate):
    tensor.sub_(rate * tensor.grad)
    tensor.grad.zero_()
