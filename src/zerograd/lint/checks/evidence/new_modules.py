"""Whether a module that no optimizer holds starts from random weights, and nothing else sets them.

A frozen trunk, a teacher or a perceptual loss has its weights from a file, and is left out on
purpose. A head that is made here, of random numbers, on top of what is trained, is not.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.checks.evidence.term_origins import nets_behind
from zerograd.lint.interpret.origins import is_bare, is_empty
from zerograd.lint.program.module import Class
from zerograd.lint.program.syntax import last_name, text, walk
from zerograd.lint.values import call_frames, parameter_sets
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from zerograd.lint.checks.evidence.case import Case
    from zerograd.lint.checks.evidence.optimizers import BuiltOptimizer
    from zerograd.lint.interpret.reached_values import ReachedValues
    from zerograd.lint.program.module import Function, Module
    from zerograd.lint.values.value import Key, Value

SET_BY_HAND = re.compile(
    r"pretrain|load|requires_grad(?!\s*=\s*True)|no_grad|torchvision|timm|hub\.|copy_\(|\.eval\("
    r"|freeze|frozen|\w\.\w+\.(?:weight|bias)(?:\.data)?\s*="
)
"""What a constructor says that gives its modules other weights, or keeps them as they are."""

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
    for call, frame in reached.calls:
        value = case.resolver.value(call.func, frame)
        if value is None or value.key != atom or not _is_random(case, value):
            continue
        if _is_prepared(value, items):
            continue
        behind = [nets_behind(given, frame, case.resolver) for given in call.args]
        if held & frozenset().union(*behind):
            return not _is_set_or_asked(atom, value, items)
    return False


def _is_random(case: Case, value: Value) -> bool:
    """Tell whether a module was made here, of layers that start from random weights."""
    if value.kind is not ValueKind.MODULE or value.site is None or is_empty(value, case.resolver):
        return False
    maker = value.maker or ""
    if not isinstance(value.target, Class):
        plain = maker.startswith(("torch.nn.", "nn.")) and "pretrained" not in maker
        return plain and not is_bare(value) and maker.rpartition(".")[2] != "Sequential"
    lines = [
        line
        for cls in call_frames.lineage(value.target, case.resolver)
        for line in _constructor_of(cls)
    ]
    makes = any("nn." in line or "Parameter(" in line for line in lines)
    return makes and not any(map(SET_BY_HAND.search, lines))


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


def _constructor_of(cls: Class) -> list[str]:
    """Return the lines of what makes and fills an object."""
    makers = [
        item for name, item in cls.methods.items() if re.search("init|reset|build|make", name)
    ]
    return [line for item in makers for line in _lines_of(item)]


def _is_set_or_asked(atom: Key, value: Value, items: list[BuiltOptimizer]) -> bool:
    """Tell whether the program gives the module other weights, or its parameters to anything."""
    assert value.frame is not None
    module = value.frame.function.module
    names = {atom[-1], f"self.{atom[-1]}"}
    used = set().union(*(module.attributes(name) for name in names))
    if not used.isdisjoint({"load_state_dict", "requires_grad_", "load", "apply"}):
        return True
    if "eval" in used and "train" not in used:
        return True
    if module.matches(re.compile(LOADED.format(re.escape(atom[-1])))):
        return True
    return any(_is_asked(module, name, items) for name in names)


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
