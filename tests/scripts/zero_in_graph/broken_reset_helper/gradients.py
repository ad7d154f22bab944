def grads_of(module):
    return [p.grad for p in module.parameters()]


def reset(module):
    for p in module.parameters():
        p.grad.mul_(0)  # ZG604 lint
