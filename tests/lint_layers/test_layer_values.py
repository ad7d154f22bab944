"""Layer: values. Who an expression is, and whose parameters a set holds."""

from __future__ import annotations

import pytest
from layer_programs import Opened

from zerograd.lint.values import parameter_sets
from zerograd.lint.values.value import Value, ValueKind


def value_of(program: str) -> Value | None:
    opened = Opened(program)
    return opened.resolver.value(opened.last, opened.frame)


KINDS = {
    "an optimizer that is built": ("optimizer", "OPTIMIZER"),
    "an optimizer of torch by a bare name": (
        "from torch.optim import Adam\no = Adam(model.parameters())\no",
        "OPTIMIZER",
    ),
    "a list of optimizers": ("[optimizer, rival]", "OPTIMIZERS"),
    "one of a list": ("opts = [optimizer, rival]\nopts[1]", "OPTIMIZER"),
    "a dict of optimizers": ("{'a': optimizer}", "OPTIMIZERS"),
    "a module": ("model", "MODULE"),
    "a module on a device": ("model.cuda()", "MODULE"),
    "a wrapped module": ("nn.parallel.DistributedDataParallel(model)", "MODULE"),
    "a compiled module": ("torch.compile(model)", "MODULE"),
    "a scaler": ("torch.amp.GradScaler()", "SCALER"),
    "a scheduler": ("optim.lr_scheduler.StepLR(optimizer, 3)", "SCHEDULER"),
    "a tensor that requires its gradient": ("torch.zeros(3, requires_grad=True)", "LEAF"),
    "a number": ("3", "CONSTANT"),
    "a name that is assigned through another": ("a = optimizer\na", "OPTIMIZER"),
    "what a helper returns": ("def f():\n    return optimizer\nf()", "OPTIMIZER"),
    "one of what a helper returns": (
        "def f():\n    return model, optimizer\nm, o = f()\no",
        "OPTIMIZER",
    ),
    "an attribute that `__init__` sets": (
        """
        class Trainer:
            def __init__(self):
                self.o = torch.optim.SGD(model.parameters())
        t = Trainer()
        t.o""",
        "OPTIMIZER",
    ),
}


@pytest.mark.parametrize(("program", "kind"), KINDS.values(), ids=KINDS)
def test_kind(program: str, kind: str) -> None:
    value = value_of(program)

    assert value is not None
    assert value.kind.name == kind


UNKNOWN = {
    "a name that is nowhere bound": "nothing_here",
    "a sum": "1 + x",
}


@pytest.mark.parametrize("program", UNKNOWN.values(), ids=UNKNOWN)
def test_what_the_source_does_not_show_is_no_known_kind(program: str) -> None:
    value = value_of(program)

    assert value is None or value.kind is ValueKind.OTHER


NAMED = {
    "optimizer_g": "OPTIMIZER",
    "self.optim": "OPTIMIZER",
    "optimizers": "OPTIMIZERS",
    "lr_scheduler": "SCHEDULER",
    "grad_scaler": "SCALER",
    "optimizer_config": None,
    "adoption": None,
    "router": None,
}


@pytest.mark.parametrize(("name", "kind"), NAMED.items())
def test_a_bare_name_suggests_a_kind_by_its_words(name: str, kind: str | None) -> None:
    from zerograd.lint.values.kinds import named_like

    found = named_like(name)

    assert (found.name if found else None) == kind


def test_a_construction_is_sure_and_a_name_is_not() -> None:
    built, named = value_of("optimizer"), value_of("def f(optimizer):\n    return optimizer\nf")

    assert built is not None
    assert built.sure
    assert named is not None
    assert named.kind is ValueKind.FUNCTION


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("model", "a = model\na"),
        ("model", "def f():\n    return model\nf()"),
        ("optimizer", "[rival, optimizer][1]"),
        ("model", "model.train()"),
    ],
)
def test_one_object_has_one_key(one: str, other: str) -> None:
    first, second = value_of(one), value_of(other)

    assert first is not None
    assert second is not None
    assert first.key == second.key


@pytest.mark.parametrize(
    ("one", "other"),
    [("model", "other"), ("optimizer", "rival"), ("model", "m = copy.deepcopy(model)\nm")],
)
def test_two_objects_have_two_keys(one: str, other: str) -> None:
    first, second = value_of(one), value_of(other)

    assert first is not None
    assert second is not None
    assert first.key != second.key


def held(program: str) -> list[str] | None:
    """Return the last names of the modules whose parameters an expression yields."""
    opened = Opened(program)
    found = parameter_sets.atoms(opened.resolver, opened.last, opened.frame)
    return None if found is None else sorted(".".join(atom[1:]) for atom in found)


SETS = {
    "a module's": ("model.parameters()", ["model"]),
    "two modules' in one list": (
        "[*model.parameters(), *other.parameters()]",
        ["model", "other"],
    ),
    "a sum of lists": ("list(model.parameters()) + list(other.parameters())", ["model", "other"]),
    "a chain": (
        "import itertools\nitertools.chain(model.parameters(), other.parameters())",
        ["model", "other"],
    ),
    "a filter": ("filter(lambda p: p.requires_grad, model.parameters())", ["model"]),
    "a comprehension": ("[p for p in model.parameters() if p.requires_grad]", ["model"]),
    "groups": (
        "[{'params': model.parameters()}, {'params': other.parameters()}]",
        ["model", "other"],
    ),
    "a name": ("ps = list(model.parameters())\nps", ["model"]),
    "a list that grows": ("ps = list(model.parameters())\nps.append(w)\nps", None),
    "a list that another is added to": ("ps = list(model.parameters())\nps += more\nps", None),
    "a list whose name ends another's that grows": (
        "ps = list(model.parameters())\nmaps.append(w)\nps",
        ["model"],
    ),
    "a wrapped module's": ("nn.DataParallel(model).parameters()", ["model"]),
    "what nobody knows": ("elsewhere()", None),
}


@pytest.mark.parametrize(("program", "modules"), SETS.values(), ids=SETS)
def test_parameter_set(program: str, modules: list[str] | None) -> None:
    assert held(program) == modules


MODEL, HEAD, OTHER = ("m", "model"), ("m", "model", "head"), ("m", "other")


@pytest.mark.parametrize(
    ("one", "other", "is_disjoint", "is_covered"),
    [
        ({MODEL}, {MODEL}, False, True),
        ({MODEL}, {HEAD}, False, True),
        ({HEAD}, {MODEL}, False, False),
        ({MODEL}, {OTHER}, True, False),
        ({MODEL, OTHER}, {HEAD}, False, True),
        ({HEAD}, {HEAD, OTHER}, False, False),
    ],
)
def test_sets_are_compared_by_what_holds_what(
    one: set[tuple[str, ...]], other: set[tuple[str, ...]], is_disjoint: bool, is_covered: bool
) -> None:
    first, second = frozenset(one), frozenset(other)

    assert parameter_sets.disjoint(first, second) is is_disjoint
    assert parameter_sets.covers(first, second) is is_covered
