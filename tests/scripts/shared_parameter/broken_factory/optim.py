import torch


def get_optimizers(users, items, lr):
    user_optimizer = torch.optim.Adam(users.parameters(), lr=lr)
    item_optimizer = torch.optim.Adam(users.parameters(), lr=lr)  # ZG307 lint watch
    return user_optimizer, item_optimizer
