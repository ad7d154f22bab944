"""Whose line it is: the user's, or a library's wherever that is installed."""

from __future__ import annotations

import pytest

from zerograd.source.lines import is_users


@pytest.mark.parametrize(
    "path",
    [
        pytest.__file__,
        # A cluster's module, a `.pth` file or PYTHONPATH add libraries of another prefix.
        "/opt/torch/lib/python3.11/site-packages/torch/autograd/__init__.py",
        "/usr/lib/python3/dist-packages/torch/optim/sgd.py",
    ],
)
def test_a_library_is_not_the_users_wherever_it_is_installed(path: str) -> None:
    assert not is_users(path)


@pytest.mark.parametrize("path", ["/home/me/train.py", "/home/me/my-site-packages/train.py"])
def test_a_script_is_the_users(path: str) -> None:
    assert is_users(path)
