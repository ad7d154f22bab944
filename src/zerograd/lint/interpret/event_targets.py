"""Which accounts an event touches for sure, and which it may."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.event import EnclosingKind
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import last_name, text
from zerograd.lint.values import parameter_sets
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events import SourceEvent
    from zerograd.lint.interpret.plan import Holder, RootPlan
    from zerograd.lint.interpret.reached_values import ReachedValues
    from zerograd.lint.program.scope import Binding
    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame, Value


def touch(plan: RootPlan, resolver: Resolver) -> None:
    """Fill in `must` and `may` of every event."""
    for event in plan.events:
        if event.effect is CallEffect.DEPOSIT:
            _deposit(event, plan, resolver)
        elif event.effect is not None:
            _aimed(event, plan, resolver)
            if event.effect is CallEffect.FREEZE and event.freezes and is_joined_later(event):
                event.must = ()
    _thaw_the_only_one(plan)
    _forget_the_unborn(plan)
    for event in plan.events:
        waits = event.effect in (CallEffect.DEPOSIT, CallEffect.CLIP) and not event.ends_apart
        if waits and event.may and not event.must:
            _belong(event, plan)
    _pair(plan)


def _pair(plan: RootPlan) -> None:
    """Find deposits of one loss on both sides of a test: one source, which is made either way.

    `if due: loss.backward()`, `else: with model.no_sync(): loss.backward()`.
    """
    deposits = [event for event in plan.events if event.effect is CallEffect.DEPOSIT]
    for at, event in enumerate(deposits):
        for other in deposits[:at]:
            if (
                other.frame is event.frame
                and other.same_as < 0
                and (other.must, other.may) == (event.must, event.may)
                and _are_alternatives(other, event)
            ):
                event.same_as = other.number
                break


def _are_alternatives(one: SourceEvent, other: SourceEvent) -> bool:
    """Tell whether two deposits of one loss stand on the two sides of one test, under no other."""
    if one.loss is None or other.loss is None or text(one.loss) != text(other.loss):
        return False
    if one.scaler is not other.scaler and (one.scaler is None or other.scaler is None):
        return False
    choosing = (EnclosingKind.THEN, EnclosingKind.OTHER, EnclosingKind.LOOP)
    sides = [
        [(item.node, item.place) for item in event.context if item.place in choosing]
        for event in (one, other)
    ]
    if len(sides[0]) != len(sides[1]) or not sides[0]:
        return False
    *around, (node, place) = sides[0]
    return sides[1][:-1] == around and sides[1][-1][0] is node and sides[1][-1][1] is not place


def _thaw_the_only_one(plan: RootPlan) -> None:
    """Let the only optimizer train something, though it was built over what had been frozen.

    Else no backward had anything to reach: adapters that a library adds are not seen.
    """
    built = [event.number for event in plan.events if event.effect is CallEffect.BUILD]
    for event in plan.events if len(plan.holders) == 1 and built else ():
        if event.effect is CallEffect.FREEZE and event.freezes and event.number < built[-1]:
            event.must = ()


def is_joined_later(event: SourceEvent) -> bool:
    """Tell whether a frozen module gets a new part that is trained: `model.fc = nn.Linear(...)`."""
    places = [(event.node, event.frame), *event.frame.calls()]
    for node, frame in places:
        line = getattr(node, "lineno", 0)
        for target, found in frame.function.scope.bindings.items():
            owner = target.partition(".")[0].partition("[")[0]
            if owner == target or not _names(event, owner, frame):
                continue
            if any(item.node.lineno > line and _makes(item) for item in found):
                return True
    return False


def _names(event: SourceEvent, name: str, frame: CallFrame) -> bool:
    """Tell whether a frozen module goes by a name in a frame."""
    if name == frame.function.self_name:
        return False
    return any(atom[-1] == name for atom in event.atoms or ())


def _makes(binding: Binding) -> bool:
    """`nn.Linear(...)`, `nn.Sequential(...)`, `Head(...)`: a call of a class."""
    value = binding.value
    name = last_name(value.func) if isinstance(value, ast.Call) else None
    return binding.how is BindingKind.ASSIGNED and bool(name) and str(name)[:1].isupper()


def _forget_the_unborn(plan: RootPlan) -> None:
    """Take optimizers that are built later from what an unknown call before any loop may touch."""
    built: dict[int, int] = {}
    for event in plan.events:
        for at in event.must if event.effect is CallEffect.BUILD else ():
            built.setdefault(at, event.number)
    for event in plan.events:
        alone = not any(item.place is EnclosingKind.LOOP for item in event.context)
        if event.effect is CallEffect.UNKNOWN and event.everything and alone:
            event.may = tuple(at for at in event.may if event.number >= built.get(at, 0))


def _belong(event: SourceEvent, plan: RootPlan) -> None:
    """Give a deposit that cannot be followed to the only optimizer of its own function.

    A method that builds its optimizer, called three times, makes three over the same parameters:
    what reaches one of them reaches all.
    """
    beside = [
        other
        for other in plan.events
        if other.frame is event.frame
        and other.effect in (CallEffect.STEP, CallEffect.CLEAR, CallEffect.BUILD)
    ]
    touched = {at for other in beside for at in (*other.must, *other.may)}
    steps = any(other.effect is CallEffect.STEP and other.must for other in beside)
    if steps and _are_one(touched, plan) and touched <= set(event.may):
        event.must = tuple(touched)
        event.may = tuple(at for at in event.may if at not in touched)


def _are_one(accounts: set[int], plan: RootPlan) -> bool:
    """Tell whether accounts are one, or hold the very same parameters."""
    held = {plan.holders[at].atoms for at in accounts}
    return len(accounts) == 1 or (len(held) == 1 and None not in held)


def _deposit(event: SourceEvent, plan: RootPlan, resolver: Resolver) -> None:
    """One optimizer in scope gets every deposit; with several, the loss is followed back."""
    every = tuple(range(len(plan.holders)))
    if event.everything:
        event.may = every
    elif event.atoms is not None:
        event.must = tuple(
            at
            for at, holder in enumerate(plan.holders)
            if holder.atoms is not None and not parameter_sets.disjoint(holder.atoms, event.atoms)
        )
        event.may = tuple(at for at, holder in enumerate(plan.holders) if holder.atoms is None)
    elif (
        len({holder.manual for holder in plan.holders}) == 1
        and (len(plan.holders) == 1 or all(holder.manual for holder in plan.holders))
        and not any(_waiting(plan))
    ):
        if _is_cut_off(event, plan, resolver):
            event.may, event.ends_apart = every, True
        else:
            event.must = every
    else:
        _followed(event, plan, resolver)


def _is_cut_off(event: SourceEvent, plan: RootPlan, resolver: Resolver) -> bool:
    """`loss_fn(reps)` of `reps = [rep.detach().requires_grad_() for rep in reps]`.

    Whether the backward ends at tensors that were made anew: an unread call reaches no more than
    what it is given.
    """
    module = event.frame.function.module
    if event.loss is None or not (module.mentions("requires_grad") and module.mentions("detach")):
        return False
    reached = reach_of(event, plan, resolver)
    return reached.atoms == frozenset() and reached.stopped is not None


def _waiting(plan: RootPlan) -> Iterator[Value]:
    """Yield the optimizers that are cleared and that nothing steps: what they hold is theirs."""
    for event in plan.events:
        for target in event.targets if event.effect is CallEffect.CLEAR else ():
            named = target.site is not None and target.kind is ValueKind.OPTIMIZER
            if named and plan.index(target.key) is None:
                yield target


def _is_anothers(plan: RootPlan, reached: ReachedValues, resolver: Resolver) -> bool:
    """Tell whether all that was found behind a loss belongs to an optimizer that never steps."""
    for target in _waiting(plan):
        atoms = parameter_sets.of_optimizer(resolver, target)
        if atoms and reached.atoms and parameter_sets.covers(atoms, reached.atoms):
            return True
    return False


def _followed(event: SourceEvent, plan: RootPlan, resolver: Resolver) -> None:
    reached = reach_of(event, plan, resolver)
    must: list[int] = []
    may: list[int] = []
    # Behind every loss stands some parameter, or its backward raises: found none, missed it.
    nothing = not reached.atoms and reached.stopped is None
    for at, holder in enumerate(plan.holders):
        if holder.atoms is None or reached.atoms is None or nothing:
            may.append(at)
        elif not parameter_sets.disjoint(holder.atoms, reached.atoms):
            (must if reached.complete else may).append(at)
        elif not reached.whole and not _is_anothers(plan, reached, resolver):
            may.append(at)
    event.must, event.may = tuple(must), tuple(may)
    event.weak = frozenset(at for at in must if _loosely(plan, at, reached))


def _loosely(plan: RootPlan, at: int, reached: ReachedValues) -> bool:
    """Tell whether a loss used a dict with the module in it, or a whole that others share."""
    atoms, found = plan.holders[at].atoms, reached.atoms
    assert atoms is not None
    assert found is not None
    if parameter_sets.disjoint(atoms, found - reached.carried):
        return True
    if any(parameter_sets.covers(atoms, frozenset({atom})) for atom in found):
        return False
    wholes = frozenset(
        atom for atom in found if not parameter_sets.disjoint(atoms, frozenset({atom}))
    )
    return any(
        other != at and holder.atoms is not None and parameter_sets.covers(wholes, holder.atoms)
        for other, holder in enumerate(plan.holders)
    )


def _aimed(event: SourceEvent, plan: RootPlan, resolver: Resolver) -> None:
    """Events with a target: an optimizer, a set of modules or tensors, or everything."""
    must: set[int] = set()
    may: set[int] = set()
    for target in event.targets:
        if target.kind is ValueKind.SCALER and event.effect is CallEffect.UPDATE:
            return
        members = (
            target.parts if target.kind is ValueKind.OPTIMIZERS and target.parts else (target,)
        )
        for member in members:
            at = plan.index(member.key)
            if at is not None:
                must.add(at)
            if event.effect in (CallEffect.CLEAR, CallEffect.CLIP):
                _same_parameters(parameter_sets.of_optimizer(resolver, member), at, plan, must, may)
            elif event.effect is CallEffect.UNSCALE:
                # The scaler books it for this optimizer; the tensors are every holder's.
                _same_parameters(parameter_sets.of_optimizer(resolver, member), at, plan, may, may)
    if event.others:
        must = set(range(len(plan.holders))) - must
    if event.atoms is not None:
        _by_atoms(event, plan, must, may)
    if event.everything:
        _by_everything(event, plan, must, may)
    event.must, event.may = tuple(sorted(must)), tuple(sorted(may - must))


def _by_everything(event: SourceEvent, plan: RootPlan, must: set[int], may: set[int]) -> None:
    """Touch everyone: surely, where there is one and it is not done tensor by tensor."""
    everyone = set(range(len(plan.holders)))
    clears = event.effect is CallEffect.CLEAR and not (event.manual or _is_one_of_others(event))
    if len(everyone) == 1 and (clears or event.effect is CallEffect.CLIP):
        must |= everyone
    may |= everyone - must


def _is_one_of_others(event: SourceEvent) -> bool:
    """`helpers[name].zero_grad()`: one of several, beside the optimizer that has an account."""
    func = event.node.func if isinstance(event.node, ast.Call) else None
    return isinstance(func, ast.Attribute) and isinstance(func.value, ast.Subscript)


def _same_parameters(
    atoms: parameter_sets.Atoms | None,
    at: int | None,
    plan: RootPlan,
    must: set[int],
    may: set[int],
) -> None:
    """Add the optimizers that hold the same parameters: clearing one clears them."""
    if atoms is None:
        return
    for other, holder in enumerate(plan.holders):
        if other == at or holder.atoms is None or parameter_sets.disjoint(atoms, holder.atoms):
            continue
        (must if parameter_sets.covers(atoms, holder.atoms) else may).add(other)


def _by_atoms(event: SourceEvent, plan: RootPlan, must: set[int], may: set[int]) -> None:
    assert event.atoms is not None
    for at, holder in enumerate(plan.holders):
        if holder.atoms is None:
            (must if _alone(holder, plan) else may).add(at)
        elif parameter_sets.covers(event.atoms, holder.atoms) or (
            event.effect is CallEffect.READ and parameter_sets.covers(holder.atoms, event.atoms)
        ):
            must.add(at)
        elif not parameter_sets.disjoint(event.atoms, holder.atoms) or (
            _uncertain(event, plan) and not _is_out_of_reach(event, holder.atoms)
        ):
            may.add(at)


def _alone(holder: Holder, plan: RootPlan) -> bool:
    return len(plan.holders) == 1 and not holder.manual


def _uncertain(event: SourceEvent, plan: RootPlan) -> bool:
    """Tell whether a module may be another name of an optimizer's module.

    With one optimizer any may be; `for net in nets_of(config)` takes whatever there is.
    """
    alone = len(plan.holders) == 1 or _is_drawn(event)
    return alone and event.effect in (CallEffect.CLEAR, CallEffect.UNKNOWN)


def _is_drawn(event: SourceEvent) -> bool:
    """Tell whether a module is only known as a loop's variable."""
    home = event.frame
    return any(
        len(atom) > 1
        and atom[0] == home.path
        and any(
            item.how is BindingKind.ITERATED
            for item in home.function.scope.bindings.get(atom[1], ())
        )
        for atom in event.atoms or ()
    )


def _is_out_of_reach(event: SourceEvent, held: parameter_sets.Atoms) -> bool:
    """Tell whether a module's method meets bare tensors alone, which no module ever holds."""
    return not event.manual and all(map(parameter_sets.is_bare_tensor, held))
