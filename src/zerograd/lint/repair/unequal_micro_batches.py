"""Repairs of unequal micro-batches: each mean is weighed by its items, divided by the window's.

Where the micro-batches of a window are a list, its items are counted before the first backward:

    items = sum((labels != -100).sum() for words, labels in window)
    for words, labels in window:
        ...
        count = (labels != -100).sum()
        (loss * count / items).backward()

Elsewhere the items are known when the window ends, and the gradients are divided then. The total is
cleared where the gradients are, so that it counts what lies in them whatever happens to a tail.
The loss stays a mean: it is logged.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.checks.evidence.case import line, loops_around, tests_around
from zerograd.lint.checks.evidence.divisors import scaling_of
from zerograd.lint.checks.evidence.windows import AbstractWindow, windows
from zerograd.lint.checks.unequal_micro_batches import counted_items
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import statements
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import argument, last_name, names_in, text, walk
from zerograd.lint.repair.place import after, before, has_own_lines, replaced, statement_here
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Edit
    from zerograd.lint.checks.evidence.case import Case, Draft
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.program.source_file import Source

Offer = tuple[str, list["Edit"]]

RANKS = (
    *("DistributedDataParallel", "DataParallel", "fully_shard", "FullyShardedDataParallel"),
    *("init_process_group", "accelerate", "lightning", "deepspeed", "torch_xla"),
)
"""Who mentions one of these may take a mean over ranks, whose items are not counted here."""

SHAPES = (
    *("view", "reshape", "flatten", "contiguous", "squeeze", "unsqueeze", "to", "cuda", "cpu"),
    *("long", "float", "transpose", "permute", "sum", "clamp", "clamp_min", "numel", "max", "int"),
)
"""Calls that read the labels or the mask again without a side effect."""

LISTS = ("list", "tuple", "sorted", "split", "chunk")
"""Calls whose result can be walked through twice."""


LOSSES = ("cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss")
"""Means over the labels that are not ignored."""

HARMLESS = ("ignore_index", "label_smoothing", "input", "target")
"""Arguments with which such a mean still counts each label once: a class weight does not."""


@record(frozen=True, eq=False)
class Weighing:
    """What a repair of one window works with."""

    window: AbstractWindow
    count: ast.expr
    """What counts the items of a micro-batch."""

    division: ast.BinOp | ast.AugAssign
    """Where the loss is divided by the window's length."""

    divided: ast.stmt
    """The statement that the division stands in."""

    one: str
    total: str
    """Names for the items of a micro-batch and of the window."""

    @property
    def counting(self) -> str | None:
        """The line that counts a micro-batch, unless the program has counted already."""
        return None if isinstance(self.count, ast.Name) else f"{self.one} = {text(self.count)}"


def weigh(draft: Draft, case: Case, source: Source) -> Iterator[Offer]:
    """Count the items before the window where they are at hand, else while it lasts."""
    found = _understood(draft, case)
    if found is None:
        return
    ahead = _counted_ahead(found, source)
    if ahead is not None:
        yield "weigh each micro-batch by its items", ahead
    later = _divided_later(found, draft, case, source)
    if later is not None:
        yield "weigh each micro-batch by its items, and divide the gradients by all of them", later


def _understood(draft: Draft, case: Case) -> Weighing | None:
    """Return how one plain window is weighed, None where a part of it is not known."""
    made, step = draft.events
    window = next(
        (item for item in windows(case) if item.deposit is made and item.step is step), None
    )
    if window is None or not _is_plain_window(window, draft, case):
        return None
    scaling = scaling_of(made)
    items = counted_items(case, window, scaling)
    others = [divisor for divisor in scaling.divisors if divisor is not items]
    deposit = statement_here(made, draft)
    if items is None or deposit is None or len(others) != 1 or len(scaling.terms) != 1:
        return None
    count = _count(items, scaling.terms[0], window, case)
    division = _division(others[0], window)
    if count is None or division is None or not _is_steady(count, window, deposit):
        return None
    one, total = _names(count, window)
    return Weighing(window, count, *division, one, total) if one and total else None


def _is_plain_window(window: AbstractWindow, draft: Draft, case: Case) -> bool:
    """Tell whether every round of a loop deposits once, and one step of the same function spends.

    Items of other ranks are not counted here.
    """
    made, step = window.deposit, window.step
    if window.gated or made.divides or made.frame is not step.frame:
        return False
    alone = [case.touching(draft.at, effect) for effect in (CallEffect.DEPOSIT, CallEffect.STEP)]
    if alone != [[made], [step]] or case.mentions(*RANKS) or not isinstance(window.loop, ast.stmt):
        return False
    within = [test for test, _ in tests_around(made) if _holds([window.loop], test)]
    leaves = (
        isinstance(node, ast.Continue | ast.Break) and node.lineno < line(made)
        for node in walk(window.loop)
    )
    return not within and not any(leaves)


def _count(items: ast.AST, term: ast.expr, window: AbstractWindow, case: Case) -> ast.expr | None:
    """Return an expression for the items: the divisor, or the labels that are not ignored."""
    if not isinstance(term, ast.Call) or not isinstance(items, ast.expr):
        return None
    if last_name(term.func) == "sum":
        return items
    value = case.resolver.value(term.func, window.deposit.frame)
    made = value.site if value is not None and isinstance(value.site, ast.Call) else None
    called = made if made is not None else term
    given = [*term.keywords, *(made.keywords if made is not None else ())]
    labels = argument(term, 1, "target")
    if (
        last_name(called.func) not in LOSSES
        or any(item.arg not in HARMLESS for item in given)
        or len(term.args) > 2
        or (made is not None and made.args)
        or labels is None
        or not _is_constant(items)
    ):
        return None
    # `(labels != -100).sum()`
    told = ast.Compare(labels, [ast.NotEq()], [items])
    return ast.Call(ast.Attribute(told, "sum", ast.Load()), [], [])


def _is_constant(ignored: ast.expr) -> bool:
    """Tell whether an `ignore_index` reads the same anywhere: a number, or a constant's name."""
    if isinstance(ignored, ast.UnaryOp):
        ignored = ignored.operand
    return isinstance(ignored, ast.Constant) or (
        isinstance(ignored, ast.Name) and ignored.id.isupper()
    )


def _division(
    divisor: ast.expr, window: AbstractWindow
) -> tuple[ast.BinOp | ast.AugAssign, ast.stmt] | None:
    """Return the division by a window's length in the deposit's own loop, and its statement."""
    source = window.deposit.frame.function.module.source
    for stmt in statements(getattr(window.loop, "body", [])):
        if hasattr(stmt, "body") or not has_own_lines(stmt, source):
            continue
        for node in walk(stmt):
            if not isinstance(node, ast.BinOp | ast.AugAssign) or not isinstance(node.op, ast.Div):
                continue
            if (node.right if isinstance(node, ast.BinOp) else node.value) is divisor:
                return node, stmt
    return None


def _names(count: ast.expr, window: AbstractWindow) -> tuple[str, str]:
    """Return names that the module does not use; empty ones if it uses all."""
    spelled = window.deposit.frame.function.module.source.text
    ones, totals = (
        next((name for name in names if not re.search(rf"(?<![.\w]){name}\b", spelled)), "")
        for names in (("count", "micro_batch_items"), ("items", "window_items"))
    )
    return (count.id if isinstance(count, ast.Name) else ones), totals


def _is_steady(count: ast.expr, window: AbstractWindow, deposit: ast.stmt) -> bool:
    """Tell whether the items can be counted once more, right before the division."""
    calls = [node for node in walk(count) if isinstance(node, ast.Call)]
    if any(last_name(call.func) not in SHAPES for call in calls):
        return False
    bindings = window.deposit.frame.function.scope.bindings
    first, last = getattr(window.loop, "lineno", 0), deposit.lineno
    return all(
        sum(first < item.node.lineno <= last for item in bindings.get(name, ())) <= 1
        for name in names_in(count)
    )


def _counted_ahead(found: Weighing, source: Source) -> list[Edit] | None:
    """Count the items of a window that is a list before its first micro-batch."""
    loop = found.window.loop
    if not (found.window.inner and isinstance(loop, ast.For)) or found.counting is None:
        return None
    target, walked = loop.target, loop.iter
    if isinstance(walked, ast.Call) and last_name(walked.func) == "enumerate":
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2 or len(walked.args) != 1:
            return None
        target, walked = target.elts[1], walked.args[0]
    if not isinstance(walked, ast.Name) or not _is_list(walked, found.window):
        return None
    read = names_in(found.count)
    bindings = found.window.deposit.frame.function.scope.bindings
    made_inside = any(
        item.node.lineno > loop.lineno for name in read for item in bindings.get(name, ())
    )
    if made_inside or read.isdisjoint(names_in(target)):
        return None
    each = ast.get_source_segment(source.text, target) or text(target)
    total = f"{found.total} = sum({text(found.count)} for {each} in {text(walked)})"
    return [
        before(loop, total, source),
        before(found.divided, found.counting, source),
        _weighed(found, source, f"{found.one} / {found.total}"),
    ]


def _is_list(walked: ast.Name, window: AbstractWindow) -> bool:
    """Tell whether a name holds something that can be walked through twice."""
    found = window.deposit.frame.function.scope.bindings.get(walked.id, [])
    made = [item.value for item in found if item.how is BindingKind.ASSIGNED]
    return len(made) == len(found) == 1 and (
        isinstance(made[0], ast.List | ast.Tuple | ast.ListComp)
        or (isinstance(made[0], ast.Subscript) and isinstance(made[0].slice, ast.Slice))
        or (isinstance(made[0], ast.Call) and last_name(made[0].func) in LISTS)
    )


def _weighed(found: Weighing, source: Source, weight: str) -> Edit:
    """Put a weight in the place of the division by the window's length."""
    node = found.division
    if isinstance(node, ast.AugAssign):
        name = text(node.target)
        return replaced(node, f"{name} = {name} * {weight}", source)
    left = ast.get_source_segment(source.text, node.left) or text(node.left)
    if isinstance(node.left, ast.BinOp) and not isinstance(node.left.op, ast.Mult | ast.Div):
        left = f"({left})"
    return replaced(node, f"{left} * {weight}", source)


def _divided_later(found: Weighing, draft: Draft, case: Case, source: Source) -> list[Edit] | None:
    """Add up the items beside the gradients, and divide these when the window ends."""
    start = _end_of_window(found.window)
    loops = loops_around(found.window.deposit)
    clears = case.touching(draft.at, CallEffect.CLEAR)
    cleared = [stmt for event in clears if (stmt := statement_here(event, draft)) is not None]
    own = all(event.frame is found.window.step.frame for event in clears)
    if start is None or not clears or not own or len(cleared) != len(clears):
        return None
    if not isinstance(loops[0], ast.stmt) or _is_scaled(found) or _is_read_later(found):
        return None
    code = [found.counting] if found.counting is not None else []
    code.append(f"{found.total} += {found.one}")
    reset = f"{found.total} = 0"
    started = any(_comes_first(event, found.window.deposit) for event in clears)
    return [
        *([] if started else [before(loops[0], reset, source)]),
        before(found.divided, "\n".join(code), source),
        _weighed(found, source, found.one),
        before(start, DIVIDE.format(case.holder(draft.at).label, found.total), source),
        *(after(stmt, reset, source) for stmt in cleared),
    ]


DIVIDE = """for group in {}.param_groups:
    for parameter in group["params"]:
        if parameter.grad is not None:
            parameter.grad /= {}"""


def _is_scaled(found: Weighing) -> bool:
    """Tell whether a scaler takes part: a scaled sum of many losses overflows in half precision."""
    made = found.window.deposit
    func = getattr(made.node, "func", None)
    return made.scaler is not None or isinstance(getattr(func, "value", None), ast.Call)


def _comes_first(clear: SourceEvent, deposit: SourceEvent) -> bool:
    """Tell whether a clear surely happens before any deposit."""
    around = loops_around(clear)
    return (
        line(clear) < line(deposit)
        and not tests_around(clear)
        and around == loops_around(deposit)[: len(around)]
    )


def _end_of_window(window: AbstractWindow) -> ast.stmt | None:
    """Return the first statement of the block that a window's step stands in."""
    step = window.step.node
    if window.test is not None:
        for node in getattr(window.loop, "body", []):
            if isinstance(node, ast.If) and node.test is window.test and _holds(node.body, step):
                return node.body[0] if node.body[0].lineno > node.lineno else None
        return None
    for node in walk(window.step.frame.function.node):
        body = getattr(node, "body", None)
        if isinstance(body, list) and window.loop in body:
            rest = body[body.index(window.loop) + 1 :]
            return rest[0] if rest and _holds(rest, step) else None
    return None


def _holds(body: list[ast.stmt], wanted: ast.AST) -> bool:
    return any(node is wanted for stmt in body for node in walk(stmt))


def _is_read_later(found: Weighing) -> bool:
    """Tell whether a sum would be logged for a mean: the loss that is weighed is read again."""
    division, deposit = found.divided, found.window.deposit
    if any(node is deposit.node for node in walk(division)):
        return False
    names = {name for item in _targets(division) for name in names_in(item)}
    return any(
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.id in names
        and node.lineno > division.lineno
        and node is not deposit.loss
        for node in walk(deposit.frame.function.node)
    )


def _targets(stmt: ast.stmt) -> list[ast.expr]:
    if isinstance(stmt, ast.Assign):
        return stmt.targets
    target = getattr(stmt, "target", None)
    return [target] if isinstance(target, ast.expr) else []
