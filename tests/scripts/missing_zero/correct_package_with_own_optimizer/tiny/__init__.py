from .adam import Adam as Adam
