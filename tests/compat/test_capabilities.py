"""The table of torch's private parts is whole, and says what this torch has."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import torch

import zerograd
from zerograd.errors import ArgumentError
from zerograd.hooks import channels, subscribe, unsubscribe
from zerograd.hooks import torch_parts as capabilities
from zerograd.hooks.kernels import _check_each, _divide_each, _lower_each, _norm_each, _raise_each
from zerograd.hooks.patch_kinds import Absent
from zerograd.hooks.saved_values import saved_number
from zerograd.hooks.serialization import unsafe_globals
from zerograd.hooks.shards import groups_of, private_layouts, private_sums
from zerograd.hooks.subscription import _patches
from zerograd.hooks.torch_parts import EVERY, NEEDED_BY, PARTS, find, need, read, refusal
from zerograd.rules import CATALOGUE, SeenBy

SOURCES = Path(zerograd.__file__).parent

OLD = {
    *("_version", "_parameters", "_buffers", "_modules", "_values", "_local_tensor"),
    *("_load_from_state_dict", "_load_state_dict_pre_hooks", "_state_dict_hooks", "_opt_called"),
    *("_saved_reduction", "_overlap_with_ddp", "_timeout", "_schedulers", "_milestones"),
    *("_torchdynamo_disable", "_dynamo"),
    *("_C", "_autograd", "_raw_saved_{}", "_saved_{}"),
    *("_last_lr", "_step_count", "_growth_tracker"),  # keys of a state_dict
    "_reducer_allreduce_and_upcast_hook",  # the name of a hook, compared with
    "_composable",  # where torch 2.5 has FSDP2
}
"""As old as torch 2.0, or asked for with a default, or only written to."""

OTHERS = {
    *("_getframe", "_args_from_interpreter_flags", "_exit", "_is_frozen"),  # Python's
    *("_strategy", "_callbacks", "_FabricOptimizer"),  # Fabric's
    "_filename_map",  # IPython's
    *("_keeper", "_token", "_replace", "_asdict", "_fields"),  # our own
}


@pytest.fixture(autouse=True)
def _nothing_is_lost_for_later_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capabilities, "_unheard", set())


def private_names(path: Path) -> set[str]:
    """Return the private attributes that a module asks of objects other than its own.

    Those that it spells, `node._saved_other`, and those in strings: `getattr(node, "_version")`,
    `find("torch._C._len_torch_dispatch_stack")`, a constant, `f"_raw_saved_{name}"`.
    """
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    spelled = {
        node.attr for node in nodes if isinstance(node, ast.Attribute) and not is_own(node.value)
    }
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    strings = [text_of(node) for node in nodes if id(node) not in parts]
    paths = [text.split(".") for text in strings if re.fullmatch(r"[\w{}]+(\.[\w{}]+)*", text)]
    found = spelled.union(*paths)
    return {name for name in found if re.match(r"_[a-zA-Z]", name)}


def text_of(node: ast.AST) -> str:
    """Return a string with `{}` where something is put in; nothing for what is no string."""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def is_own(value: ast.expr) -> bool:
    return (isinstance(value, ast.Name) and value.id in {"self", "cls", "other"}) or (
        isinstance(value, ast.Attribute) and is_own(value.value) and value.attr != "_model"
    )


@pytest.mark.parametrize("folder", ["engine", "hooks", "testing", "watch"])
def test_every_private_attribute_that_we_ask_for_is_in_the_table(folder: str) -> None:
    known = {part.name for part in PARTS} | OLD | OTHERS

    asked = {name for path in (SOURCES / folder).rglob("*.py") for name in private_names(path)}

    assert asked - known - own_names(folder) == set()


def own_names(folder: str) -> set[str]:
    """Return the private names that classes and modules of ours define."""
    trees = [ast.parse(path.read_text("utf-8")) for path in (SOURCES / folder).rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    functions = {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
    written = {
        target.attr
        for node in nodes
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Attribute) and is_own(target.value)
    }
    return functions | written


def test_the_scan_sees_what_is_asked_of_torch() -> None:
    spelled = private_names(SOURCES / "watch" / "fast_path" / "backward.py")
    in_strings = private_names(SOURCES / "hooks" / "shards.py")
    in_paths = private_names(SOURCES / "hooks" / "program_modes.py")

    assert "_version" in spelled
    assert {"_fsdp_param_groups", "_partial_reduce_output"} <= in_strings
    assert {"_pop_torch_dispatch_stack", "_get_dispatch_mode", "_TorchDispatchModeKey"} <= in_paths


def test_every_part_of_the_table_is_asked_for() -> None:
    asked = {
        text
        for folder in ("engine", "hooks", "testing", "watch")
        for path in (SOURCES / folder).rglob("*.py")
        for text in re.findall(r"\w+", path.read_text("utf-8"))
        if path.name != "torch_parts.py"
    }

    assert [part.name for part in PARTS if part.name not in asked] == []


def test_every_channel_says_which_rules_need_it() -> None:
    assert NEEDED_BY.keys() == {channel.name for channel in channels.CHANNELS}


def test_without_backward_and_step_no_rule_of_a_run_is_judged() -> None:
    watched = {rule.name for rule in CATALOGUE if SeenBy.WATCH in rule.seen and rule.section}

    assert watched - set(EVERY) == {"unfused-optimizer"}
    assert set(EVERY) - watched == set()


def test_the_rules_that_a_part_costs_are_rules_of_watch() -> None:
    costs = {rule for part in PARTS for rule in part.rules}

    assert costs - set(EVERY) == set()


@pytest.mark.parametrize("part", [p for p in PARTS if p.since], ids=lambda part: part.name)
def test_a_part_is_there_from_the_version_on_that_the_table_names(part: Any) -> None:
    here = [int(number) for number in torch.__version__.split(".")[:2]]
    begins = [int(number) for number in part.since.split(".")]

    there = find(f"{part.owner}.{part.name}") is not None

    assert there is (here >= begins)


def test_this_torch_lacks_no_patch() -> None:
    patches = [patch for _, patches in _patches() for patch in patches]

    assert [patch for patch in patches if isinstance(patch, Absent)] == []
    assert capabilities.unheard() == []


def test_a_hook_that_cannot_be_installed_costs_its_rules_and_leaves_torch_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    absent = Absent("torch.nn.utils.clip_grad.clip_grad_norm_")
    told = (channels.clip_begins, channels.clip_ends)
    monkeypatch.setattr("zerograd.hooks.subscription._patches", lambda: ((told, (absent,)),))
    listener = HearsClips()

    subscribe(listener)
    unsubscribe(listener)

    assert capabilities.unheard() == [
        "clip-after-step",
        "clip-before-backward",
        "clip-before-unscale",
        "clip-inside-window",
        "clip-other-parameters",
    ]
    assert not capabilities.heard("clip-after-step")
    assert capabilities.heard("missing-zero")


class HearsClips:
    def clip_begins(self, *what: object) -> None:
        """Hear it."""


class Without:
    """One of torch's objects, of a torch that renamed something."""


def test_what_an_object_lacks_is_not_heard() -> None:
    found = read(Without(), "_join_config", otherwise="nothing")

    assert found == "nothing"
    assert capabilities.unheard() == ["ranks-diverge"]


def test_an_fsdp_state_without_groups_costs_never_synced() -> None:
    groups = groups_of(Without())

    assert groups == []
    assert capabilities.unheard() == ["never-synced"]


def test_an_fsdp_state_of_an_older_torch_has_one_group() -> None:
    state = Without()
    state._fsdp_param_group = "the one"  # type: ignore[attr-defined]

    assert groups_of(state) == ["the one"]


class Whole:
    """A parameter of FSDP2 of torch 2.15: its sum is that of the whole parameter."""

    unsharded_accumulated_grad = property(lambda _: "shown, not kept")


class Group:
    """A group of FSDP2, as torch lays one out."""

    def __init__(self, parameter: object) -> None:
        self.fsdp_params = [parameter]
        self._partial_reduce_output = "partial"
        self._partial_reduce_output_layout = {"w": (0, 4)}


def test_a_sum_that_fsdp_only_shows_is_none_that_the_engine_may_set() -> None:
    group, older = Group(Whole()), Without()
    older.unsharded_accumulated_grad = "its own"  # type: ignore[attr-defined]

    assert private_sums([group]) == [(group, "_partial_reduce_output", "partial")]
    assert private_layouts([group]) == [(group, "_partial_reduce_output_layout", {"w": (0, 4)})]
    assert private_sums([Group(older)])[1:] == [(older, "unsharded_accumulated_grad", "its own")]


class Node:
    """A node of a graph whose torch shows no hook of what it saved."""

    _raw_saved_total_weight = Without()


def test_a_torch_that_hides_hooks_of_saved_tensors_costs_the_rule_that_reads_them() -> None:
    read_number = saved_number(Node(), "total_weight")

    assert read_number is None
    assert capabilities.unheard() == ["unequal-micro-batches"]


def test_a_feature_of_a_newer_torch_is_refused_with_both_versions() -> None:
    with pytest.raises(ArgumentError) as refused:
        need(Without(), "grad_dtype")

    assert str(refused.value) == (
        f"accumulate_dtype= needs torch 2.10 or newer, and this is torch {torch.__version__}"
    )


def test_a_feature_whose_part_has_gone_is_refused_by_its_name() -> None:
    part = next(part for part in PARTS if part.name == "_get_scale_async")

    assert refusal(part) == (
        f"scaler= needs torch's _get_scale_async, and torch {torch.__version__} has it no more, or "
        "not where zerograd looks"
    )


def test_one_tensor_at_a_time_computes_what_torchs_kernels_do() -> None:
    torch.manual_seed(0)
    ours = [torch.randn(3, 2), torch.randn(4)]
    theirs = [one.clone() for one in ours]

    _divide_each(ours, 3.0)
    _raise_each(ours, -0.2)
    _lower_each(ours, 0.2)
    torch._foreach_div_(theirs, 3.0)
    torch._foreach_clamp_min_(theirs, -0.2)
    torch._foreach_clamp_max_(theirs, 0.2)

    assert all(torch.equal(one, other) for one, other in zip(ours, theirs, strict=True))
    for one, other in zip(_norm_each(ours), torch._foreach_norm(theirs), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize(("worst", "verdict"), [(1.0, 0.0), (torch.inf, 1.0), (torch.nan, 1.0)])
def test_the_slow_check_finds_what_is_not_finite(worst: float, verdict: float) -> None:
    found = torch.zeros(())

    _check_each([torch.tensor([1.0, worst]), torch.ones(2)], found, torch.ones(()))

    assert found.item() == verdict


def test_a_trial_load_names_what_it_would_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zerograd.hooks.serialization._unsafe_globals", None)
    torch.save({"path": tmp_path, "weight": torch.ones(2)}, tmp_path / "file")

    with (tmp_path / "file").open("rb") as file:
        named = unsafe_globals(file)

    assert named == [f"{type(tmp_path).__module__}.{type(tmp_path).__name__}"]


def test_a_trial_load_of_plain_values_names_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zerograd.hooks.serialization._unsafe_globals", None)
    torch.save({"steps": 3, "weight": torch.ones(2)}, tmp_path / "file")

    with (tmp_path / "file").open("rb") as file:
        named = unsafe_globals(file)

    assert named == []
