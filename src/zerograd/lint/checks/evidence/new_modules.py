"""Whether a module that no optimizer holds starts from random weights, and nothing else sets them.

A frozen trunk, a teacher or a perceptual loss has its weights from a file, and is left out on
purpose. A head that is made here, of random numbers, on top of what is trained, is not.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.checks.evidence.term_origins import nets_behind
from zerograd.lint.program.module import Class
from zerograd.lint.program.syntax import last_name, text, walk
from zerograd.lint.values import call_frames, parameter_sets
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from zerograd.lint.checks.evidence.case import Case
    from zerograd.lint.checks.evidence.optimizers import BuiltOptimizer
    from zerograd.lint.interpret.reached_values import ReachedValues
    from zerograd.lint.program.module import Function, Module
    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import Key, Value

SET_BY_HAND = re.compile(
    r"pretrain|load|requires_grad(?!\s*=\s*True)|no_grad|torchvision|timm|hub\.|copy_\(|\.eval\("
    r"|freeze|frozen|\w\.\w+\.(?:weight|bias)(?:\.data)?\s*="
)
"""What a constructor says that gives its modules other weights, or keeps them as they are."""

LAYERS = re.compile(
    r"\b(?:Linear|Bilinear|Conv\w*|Embedding\w*|LSTM\w*|GRU\w*|RNN\w*|Parameter|Transformer\w*"
    r"|MultiheadAttention)\("
)
"""What has parameters that start from random numbers."""

LOADED = r"(?:load|restore|resume|freeze|frozen|fix|pretrain|copy)\w*\([^)\n]*\b{}\b"
ASKED = frozenset({"parameters", "named_parameters"})
HARMLESS = re.compile(r"clip|count|print|sum|len|log|numel|norm")
"""Calls that look at parameters, or change their gradients, and hand them to no optimizer."""


def is_new_on_top(
    case: Case, atom: Key, reached: ReachedValues, items: list[BuiltOptimizer]
) -> bool:
    """Tell whether a module of random weights is run on the output of one that is trained."""
    if len({item.atoms for item in items}) < len(items):
        return False  # that two hold the same is shared-parameter's
    one = frozenset({atom})
    if any(item.atoms is None or not parameter_sets.disjoint(item.atoms, one) for item in items):
        return False  # also one that is never stepped: that is never-spent's
    held = {".".join(one) for item in items for one in item.atoms or ()}
    runs = [
        (call, frame, value)
        for call, frame in reached.calls
        if (value := case.resolver.value(call.func, frame)) is not None and value.key == atom
    ]
    if not runs or not all(_is_random(case, value, items) for *_, value in runs):
        return False
    places = {(frame.function.module, text(call.func)) for call, frame, _ in runs}
    places |= {
        (_home(value), name) for *_, value in runs for name in (atom[-1], f"self.{atom[-1]}")
    }
    behind = (
        nets_behind(given, frame, case.resolver) for call, frame, _ in runs for given in call.args
    )
    return any(map(held.intersection, behind)) and not any(
        _is_set_or_asked(module, name, items) for module, name in places
    )


def _home(value: Value) -> Module:
    assert value.frame is not None
    return value.frame.function.module


def has_layers(value: Value, resolver: Resolver) -> bool:
    """Tell whether a module was made with parameters: a layer of torch, or a class with some."""
    if value.kind is not ValueKind.MODULE or value.site is None or value.frame is None:
        return False
    if not isinstance(value.target, Class):
        maker = value.maker or ""
        return maker.startswith(("torch.nn.", "nn.")) and LAYERS.search(f"{maker}(") is not None
    lines = [
        line for cls in call_frames.lineage(value.target, resolver) for line in constructor_of(cls)
    ]
    return any(map(LAYERS.search, lines))


def _is_random(case: Case, value: Value, items: list[BuiltOptimizer]) -> bool:
    """Tell whether a module was made here, of layers that start from random weights."""
    if not has_layers(value, case.resolver) or _is_prepared(value, items):
        return False
    return not any(
        SET_BY_HAND.search(line)
        for cls in call_frames.lineage(value.target, case.resolver)
        for line in constructor_of(cls)
    )


def _is_prepared(value: Value, items: list[BuiltOptimizer]) -> bool:
    """Tell whether a helper that makes the module, away from the optimizer, loads or fixes it."""
    frame = value.frame
    around = {item.value.frame for item in items}
    while frame is not None and frame.call is not None and frame not in around:
        if any(map(SET_BY_HAND.search, _lines_of(frame.function))):
            return True
        frame = frame.caller
    return False


def _lines_of(function: Function) -> list[str]:
    """Return the lines of a function, without their comments."""
    node = function.node
    first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", 0)
    lines = function.module.source.text.splitlines()[first - 1 : last]
    return [line.partition("#")[0] for line in lines]


def constructor_of(cls: Class) -> list[str]:
    """Return the lines of what makes and fills an object."""
    makers = [
        item for name, item in cls.methods.items() if re.search("init|reset|build|make", name)
    ]
    return [line for item in makers for line in _lines_of(item)]


def _is_set_or_asked(module: Module, name: str, items: list[BuiltOptimizer]) -> bool:
    """Tell whether a file gives a module other weights, or its parameters to anything."""
    used = module.attributes(name)
    if not used.isdisjoint({"load_state_dict", "requires_grad_", "load", "apply"}):
        return True
    if "eval" in used and "train" not in used:
        return True
    last = re.escape(name.rpartition(".")[2])
    return module.matches(re.compile(LOADED.format(last))) or _is_asked(module, name, items)


def is_spelled(name: str, item: BuiltOptimizer) -> bool:
    """Tell whether a construction, or the list that it is given, spells `name.parameters()`."""
    given = {node.id for node in walk(item.site) if isinstance(node, ast.Name)}
    return _mentions(item.site, name) or any(
        isinstance(stmt, ast.Assign)
        and isinstance(stmt.targets[0], ast.Name)
        and stmt.targets[0].id in given
        and _mentions(stmt.value, name)
        for stmt in walk(item.module.tree)
    )


def _is_asked(module: Module, name: str, items: list[BuiltOptimizer]) -> bool:
    """Tell whether `name.parameters()` goes anywhere but into what only looks at it."""
    known = {id(item.site) for item in items}
    for stmt in walk(module.tree):
        if not isinstance(stmt, ast.stmt) or hasattr(stmt, "body"):
            if isinstance(stmt, ast.For) and _mentions(stmt.iter, name):
                return True
            continue
        if not _mentions(stmt, name):
            continue
        calls = [node for node in walk(stmt) if isinstance(node, ast.Call)]
        if any(id(call) in known for call in calls):
            continue
        if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name):
            if _is_given(module, stmt.targets[0].id, known):
                return True
        elif not any(HARMLESS.search(last_name(call.func) or "") for call in calls):
            return True
    return False


def _mentions(node: ast.AST, name: str) -> bool:
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ASKED
        and text(call.func.value) == name
        for call in walk(node)
    )


def _is_given(module: Module, name: str, known: set[int]) -> bool:
    """Tell whether a list of parameters is handed to a constructor that is no known optimizer."""
    return any(
        isinstance(call, ast.Call)
        and id(call) not in known
        and ((last_name(call.func) or "")[:1].isupper() or "optim" in text(call.func).lower())
        and any(
            isinstance(node, ast.Name) and node.id == name
            for given in (*call.args, *(item.value for item in call.keywords))
            for node in walk(given)
        )
        for call in walk(module.tree)
    )
