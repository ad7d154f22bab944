"""The package as a whole: what it exports, and what importing it does not load."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

import zerograd

PACKAGES = ["zerograd"] + [
    found.name
    for found in pkgutil.walk_packages(zerograd.__path__, prefix="zerograd.")
    if found.ispkg
]

COMMANDS = {
    "import zerograd": "import zerograd",
    "zerograd --help": "from zerograd.cli import main; main(['--help'])",
    "zerograd rules": "from zerograd.cli import main; main(['rules'])",
    "zerograd explain": "from zerograd.cli import main; main(['explain', 'missing-zero'])",
    "zerograd lint": "from zerograd.cli import main; main(['lint', '-q', 'examples'])",
    "zerograd watch": "from zerograd.cli import main; main(['watch', 'missing.py'])",
    "import zerograd.settings": "import zerograd.settings",
    "import zerograd.watch": "import zerograd.watch",
}
each_command = pytest.mark.parametrize("statement", COMMANDS.values(), ids=COMMANDS)


def loaded_by(statement: str) -> set[str]:
    """Return the names of the modules that a fresh Python has loaded after a statement."""
    program = f"{statement}; import sys; print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(run.stderr.split())


def rank(name: str) -> tuple[int, str]:
    """Sort constants first, then classes, then functions, as ruff does."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2, name


TOOLS = {"TYPE_CHECKING", "annotations", "late"}
"""What packages use to say what they export, and do not export themselves."""


def exported(package: ModuleType) -> set[str]:
    """Return the public names that a package has loaded, its submodules aside."""
    return {
        name
        for name, value in vars(package).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name not in TOOLS
    }


def announced(package: ModuleType) -> list[str]:
    """Return `__all__`, which a package that exports nothing need not have."""
    names: list[str] = getattr(package, "__all__", [])
    return names


@pytest.mark.parametrize("name", PACKAGES)
def test_all_is_sorted_and_every_name_in_it_exists(name: str) -> None:
    package = import_module(name)

    assert announced(package) == sorted(announced(package), key=rank)
    assert [public for public in announced(package) if not hasattr(package, public)] == []


@pytest.mark.parametrize("name", PACKAGES[1:])
def test_all_is_complete(name: str) -> None:
    package = import_module(name)

    assert exported(package) <= set(announced(package))


def test_a_name_missing_from_all_is_noticed() -> None:
    package = ModuleType("package")
    vars(package).update(Rule=object, __all__=[])

    assert not exported(package) <= set(announced(package))


def test_all_of_zerograd_is_the_version_and_the_table_of_homes() -> None:
    assert set(zerograd.__all__) == {"__version__", *zerograd.HOMES}


def test_dir_of_zerograd_shows_the_names_that_are_not_loaded_yet() -> None:
    assert set(zerograd.__all__) <= set(dir(zerograd))


def test_a_name_that_zerograd_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError) as refusal:
        zerograd.zero_grad  # noqa: B018  the access is the act

    assert str(refusal.value) == "module 'zerograd' has no attribute 'zero_grad'"


@each_command
def test_no_torch_is_loaded(statement: str) -> None:
    assert "torch" not in loaded_by(statement)


@each_command
def test_torch_would_be_noticed_if_it_were_loaded(statement: str) -> None:
    # A bare module under torch's name: importing the real one five times would take ten seconds.
    imposter = "import sys, types; sys.modules['torch'] = types.ModuleType('torch')"

    assert "torch" in loaded_by(f"{imposter}; {statement}")


def test_the_real_torch_is_noticed_too() -> None:
    assert "torch" in loaded_by("import torch")


def test_importing_zerograd_loads_none_of_its_packages() -> None:
    loaded = {name for name in loaded_by("import zerograd") if name.startswith("zerograd")}

    assert loaded == {"zerograd"}


def test_using_a_public_name_loads_the_package_that_it_lives_in() -> None:
    assert "zerograd.rules" in loaded_by("import zerograd; zerograd.allow")
