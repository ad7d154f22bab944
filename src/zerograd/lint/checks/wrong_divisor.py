"""ZG204: the loss is divided by something other than the number of deposits in a window."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import accumulation
from zerograd.lifecycle.verdicts.accumulation import SumFacts, is_plain
from zerograd.lifecycle.verdicts.verdict import shown
from zerograd.lint.checks.evidence.case import (
    Case,
    Draft,
    callers,
    loops_around,
    spot,
    unsaid,
)
from zerograd.lint.checks.evidence.counted_windows import counted, sum_facts
from zerograd.lint.checks.evidence.counted_windows import lengths as counted_lengths
from zerograd.lint.checks.evidence.divisors import Scaling, number_of, scaling_of
from zerograd.lint.checks.evidence.windows import (
    AbstractWindow,
    is_gated,
    is_skipped,
    moduli,
    windows,
)
from zerograd.lint.checks.unnormalised_window import times_divided
from zerograd.lint.confidence import is_silent
from zerograd.lint.events.event import EnclosingKind
from zerograd.lint.knowledge.name_heuristics import ACCUMULATION_WORDS
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import dotted, keyword, last_name, text, walk
from zerograd.lint.values import spelling
from zerograd.source.names import has_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict
    from zerograd.lint.checks.evidence.counted_windows import CountedWindows
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.values.value import CallFrame

STEPS = "gradient_accumulation_steps"
"""What Accelerate is told the length of a window by."""

TOLD = (STEPS, "gradient_accumulation_plugin", "deepspeed_plugin")

GROWS = "it grows with each deposit"
DECLARED = ("accum", "accumulation", "grad_acc", "acc_steps")
"""Words of a number of deposits; `micro_batch_size` may be one of items."""

SHORTEST = 2
"""A window of two deposits is the same with its test inverted."""

BRANCHES = (EnclosingKind.THEN, EnclosingKind.OTHER)


def check(case: Case) -> Iterator[Draft]:
    """Windows whose length and divisor are both written down and differ."""
    yield from _never_summed(case)
    for window in windows(case):
        facts = sum_facts(case, window)
        if is_plain(facts) is False:
            continue
        if window.deposit.divides or window.gated:
            # Accelerate divides by itself, by the length that it counts.
            divisor, length, why = _divided_by_driver(case, window)
        else:
            divisor, length, why = _divisor(case, window)
        if divisor is None:
            continue
        grows = _is_index(divisor, window) and why == GROWS
        verdict = accumulation.wrong_divisor(
            facts,
            grows=grows,
            differs=shown(why is not None, "divisor-differs"),
            whole=True,
            short=False,
        )
        if verdict is not None:
            yield (
                unsaid(verdict, window.deposit, window.at)
                if is_silent(verdict)
                else _draft(verdict, window, divisor, length, why or "")
            )


def _divisor(
    case: Case, window: AbstractWindow
) -> tuple[ast.expr | None, ast.expr | None, str | None]:
    """Return a divisor that is not the window's length, that length, and why it cannot be.

    No divisor when one of them is, or may be, the length; no reason when it cannot be told.
    """
    lengths = list(_lengths(window))
    scaling = scaling_of(window.deposit, case.resolver)
    miscounted = _miscounted(case, window, scaling)
    if miscounted is not None:
        return miscounted
    divisors = scaling.divisors
    growing = next((item for item in divisors if _is_index(item, window)), None)
    if growing is not None and not lengths:
        return growing, None, GROWS
    if not lengths or not divisors:
        return None, None, None
    if any(_agrees(divisor, window.deposit.frame, lengths, case) for divisor in divisors):
        return None, None, None
    for divisor in divisors:
        why = _wrong(divisor, window, lengths[0], case)
        if why is not None:
            return divisor, lengths[0][0], why
    return divisors[0], lengths[0][0], None


def _miscounted(
    case: Case, window: AbstractWindow, scaling: Scaling
) -> tuple[ast.expr, ast.expr | None, str] | None:
    """Return a divisor that is spelled like the window's length and does not come to it."""
    spelled = counted_lengths(window)
    own = [
        item
        for item in scaling.divided
        if spelling.spell(item.node, item.frame).text in spelled and not item.under
    ]
    if not own or any(item.under for item in scaling.divided):
        return None
    length = own[0].node
    if (times_divided(window, scaling) or 0) > 1:
        return length, None, f"`{text(length)}` divides it twice"
    runs = counted(case, window)
    more = {run.regular - run.length if run.regular is not None else 0 for run in runs}
    if len(scaling.divided) == 1 and len(more) == 1 and more <= {1, -1}:
        return length, None, f"it holds one deposit {'more' if more == {1} else 'less'}"
    if runs and all(_is_inverted(run) for run in runs):
        return length, None, "its test is inverted, and it holds one or two"
    return None


def _is_inverted(run: CountedWindows) -> bool:
    """`if i % k: optimizer.step()`: windows of one deposit, and of two around what was skipped."""
    return run.length > SHORTEST and set(run.first_epoch[:-1]) == {1, 2}


def _never_summed(case: Case) -> Iterator[Draft]:
    """Losses divided by the length of an accumulation where each is spent by itself."""
    told: set[int] = set()
    in_windows = {window.deposit.number for window in windows(case)}
    for seen in case.steps():
        fresh = seen.account.fresh
        if seen.account.written or len(fresh) != 1 or fresh[0].source in told | in_windows:
            continue
        deposit, step = case.event(fresh[0].source), seen.event
        lying = [
            item
            for other in case.meetings(step, seen.at)
            for item in other.account.fresh
            if item.source == deposit.number
        ]
        # A closure may be the closing micro-batch of a window: who else evaluates it, deposits too.
        if step.closure or deposit.divides or is_gated(step) or any(item.many for item in lying):
            continue
        divisor = _declared(case, deposit)
        if divisor is None or not _is_next(deposit, step):
            continue
        told.add(deposit.number)
        verdict = accumulation.wrong_divisor(
            SumFacts(several=True, written=False, singly=False),
            grows=False,
            differs=shown(case.owned(deposit.number, seen.at), "divisor-differs"),
            whole=True,
            short=False,
        )
        if verdict is not None:
            window = AbstractWindow(deposit, step, seen.at, None, step.frame, None)
            yield _draft(verdict, window, divisor, None, "every step spends one deposit")


def _declared(case: Case, deposit: SourceEvent) -> ast.expr | None:
    """Return the only divisor of a loss, if its name says that it is the length of a window."""
    divided = scaling_of(deposit, case.resolver).divided
    nodes = [item.node for item in divided]
    if len(nodes) != 1:
        return None
    # A parameter whose default is 1 is there to be given another number.
    is_given = text(nodes[0]) in divided[0].frame.function.scope.parameters
    if not is_given and number_of(nodes[0], divided[0].frame, case) == 1:
        return None
    return nodes[0] if has_word(text(nodes[0]), DECLARED) else None


def _is_next(deposit: SourceEvent, step: SourceEvent) -> bool:
    """Tell whether the step follows its deposit in each round, whatever any test says."""
    own = [item for item in step.context if item.place in BRANCHES]
    around = {(id(item.node), item.place) for item in deposit.context}
    return (
        all((id(item.node), item.place) in around for item in own)
        and step.gate is None
        and not is_skipped(step, deposit)
        and loops_around(deposit) == loops_around(step) != []
    )


def _divided_by_driver(
    case: Case, window: AbstractWindow
) -> tuple[ast.expr | None, ast.expr | None, str | None]:
    """Return a divisor by which `accelerator.backward` divides as well."""
    func = window.deposit.node.func if isinstance(window.deposit.node, ast.Call) else None
    if not isinstance(func, ast.Attribute):
        return None, None, None
    driver = case.resolver.value(func.value, window.deposit.frame)
    full, written = None, None
    told = window.gated
    if driver is not None and driver.site is not None and driver.frame is not None:
        given = keyword(driver.site, STEPS)
        full = spelling.spell(given, driver.frame).text if given is not None else None
        written = dotted(given) if given is not None else None
        told = told or any(item.arg is None or item.arg in TOLD for item in driver.site.keywords)
    if not told:
        # An accelerator that nobody told of a window divides by one.
        return None, None, None
    for item in scaling_of(window.deposit, case.resolver).divided:
        own = spelling.spell(item.node, item.frame).text
        alike = last_name(item.node) == STEPS or own == full or _is_kept_as(item.node, written)
        if not item.under and alike:
            return item.node, None, f"`{text(func)}` divides by it too"
    return None, None, None


def _is_kept_as(node: ast.expr, written: str | None) -> bool:
    """`self.args.accum`, where Accelerate was told `args.accum`: whether an object keeps it."""
    path = dotted(node)
    return path is not None and written is not None and path == f"self.{written}"


def _lengths(window: AbstractWindow) -> Iterator[tuple[ast.expr, CallFrame]]:
    """How many deposits a full window has, as the source spells it."""
    if window.test is not None:
        yield from moduli(window)
        return
    loop = window.loop
    if (
        isinstance(loop, ast.For)
        and isinstance(loop.iter, ast.Call)
        and last_name(loop.iter.func) == "range"
        and len(loop.iter.args) == 1
    ):
        yield loop.iter.args[0], window.deposit.frame


def _agrees(
    divisor: ast.expr, frame: CallFrame, lengths: list[tuple[ast.expr, CallFrame]], case: Case
) -> bool:
    """Tell whether a divisor is, holds, or may be the window's length."""
    own = spelling.spell(divisor, frame)
    number = number_of(divisor, frame, case)
    for length, home in lengths:
        other = spelling.spell(length, home)
        if own.text == other.text or other.text in own.text or own.operands & other.operands:
            return True
        if number is not None and number == number_of(length, home, case):
            return True
    return False


def _wrong(
    divisor: ast.expr, window: AbstractWindow, length: tuple[ast.expr, CallFrame], case: Case
) -> str | None:
    """Why a divisor cannot be the number of deposits; None when that cannot be told."""
    frame = window.deposit.frame
    own, full = number_of(divisor, frame, case), number_of(*length, case)
    if own is not None and full is not None:
        return f"it holds {full}" if own >= 2 and own != full else None
    if _is_index(divisor, window):
        return GROWS
    if (
        isinstance(divisor, ast.Call)
        and last_name(divisor.func) == "len"
        and divisor.args
        and has_word(text(divisor.args[0]), ("load", "loader"))
    ):
        return "it counts the batches of an epoch"
    spelled, counted = text(divisor), text(length[0])
    if has_word(spelled, ("batch_size",)) and has_word(counted, ACCUMULATION_WORDS):
        return f"the window holds {counted}"
    return None


def _is_counter(divisor: ast.expr, window: AbstractWindow) -> bool:
    """Tell whether a divisor is the number that the window's test counts up to."""
    if not isinstance(divisor, ast.Name) or not isinstance(window.test, ast.Compare):
        return False
    found = window.deposit.frame.function.scope.bindings.get(divisor.id, ())
    hows = [item.how for item in found]
    counted = isinstance(window.test.left, ast.Name) and window.test.left.id == divisor.id
    return counted and BindingKind.CHANGED in hows and hows.count(BindingKind.ASSIGNED) >= 2


def _is_index(divisor: ast.expr, window: AbstractWindow) -> bool:
    if _is_counter(divisor, window):
        return True
    loop = window.loop
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
        return False
    target = loop.target
    if last_name(loop.iter.func) == "enumerate" and isinstance(target, ast.Tuple):
        target = target.elts[0]
    elif last_name(loop.iter.func) != "range":
        return False
    if not isinstance(target, ast.Name) or any(isinstance(item, ast.Mod) for item in walk(divisor)):
        return False
    names = {item.id for item in walk(divisor) if isinstance(item, ast.Name)}
    return names == {target.id}


def _draft(
    verdict: Verdict, window: AbstractWindow, divisor: ast.expr, length: ast.expr | None, why: str
) -> Draft:
    message = (
        f"`{text(window.deposit.node)}` is divided by `{text(divisor)}`, "
        f"not by the length of its window: {why}"
    )
    evidence = [("spent here", spot(window.step)), *callers(window.deposit)]
    return Draft(
        verdict,
        spot(window.deposit),
        message,
        f"divide by `{text(length)}`" if length is not None else "divide by the number of deposits",
        evidence,
        (window.deposit, window.step),
        window.at,
    )
