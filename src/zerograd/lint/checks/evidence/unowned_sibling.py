"""Two optimizers over the same parameters, while the module one is named after has none."""

from __future__ import annotations

import ast
import re
from itertools import combinations
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.ownership import shared_parameter
from zerograd.lint.checks.evidence.case import Case, Draft, Spot
from zerograd.lint.checks.evidence.optimizers import ConstructionSite, constructed
from zerograd.lint.interpret.origins import is_empty
from zerograd.lint.knowledge.name_heuristics import OPTIMIZER_WORDS
from zerograd.lint.program.syntax import argument, last_name, names_in, text, walk
from zerograd.lint.values.value import ValueKind
from zerograd.source.names import words

if TYPE_CHECKING:
    from collections.abc import Iterator


NOUNS = OPTIMIZER_WORDS | {"model", "module", "net", "network", "modules", "models", "params"}
"""Words that say what a thing is, not which one."""

OPEN = (ValueKind.OTHER, ValueKind.TUPLE)
"""What may still turn out to be a module, or several."""


def left_out(case: Case) -> Iterator[Draft]:
    """Find pairs of constructions over one set whose second name fits another module."""
    found = [item for item in constructed(case) if (last_name(item.site.func) or "")[:1].isupper()]
    for first, second in combinations(found, 2):
        if first.value.frame is not second.value.frame or _set(case, first) != _set(case, second):
            continue
        if _is_rebound(first, second):
            continue
        sibling = _sibling(case, second, found)
        if sibling is not None and _fits_both(_which(sibling), first, second):
            continue
        verdict = shared_parameter(sibling_left_out=sibling is not None)
        if verdict is not None:
            # That the module was meant to be held, only its name and the optimizer's say.
            verdict = verdict.assuming({"module-by-name": False})
            message = (
                f"`{_label(second)}` holds what `{_label(first)}` holds, "
                f"and nothing holds `{sibling}`"
            )
            yield Draft(
                verdict,
                Spot(second.site, second.module),
                message,
                f"give it the parameters of `{sibling}`",
                [("also held here", Spot(first.site, first.module))],
            )


def _fits_both(sibling: frozenset[str], first: ConstructionSite, second: ConstructionSite) -> bool:
    """`hat_opt`, `hat_opt2` and `hat`: whether a module's name says nothing of the second.

    `curious_actor` fits `curious_actor_optimizer` word by word, whatever `actor_optimizer` is.
    """
    return sibling != _which(_label(second)) and _fits(_which(_label(first)), sibling)


def _set(case: Case, item: ConstructionSite) -> str:
    given = argument(item.site, 0, "params")
    # Constructions without a visible set are alike only in what nobody sees, and those that
    # make their own tensors only in how they are spelled.
    seen = given is not None and names_in(given) and not _makes(case, given, item)
    return text(given) if given is not None and seen else str(id(item))


def _makes(case: Case, given: ast.expr, item: ConstructionSite) -> bool:
    """`[nn.Parameter(...)]`: whether the set is made where it is given."""
    assert item.value.frame is not None
    made = [
        case.resolver.value(node, item.value.frame)
        for node in walk(given)
        if isinstance(node, ast.Call)
    ]
    return any(one is not None and one.kind in (ValueKind.LEAF, ValueKind.MODULE) for one in made)


def _is_rebound(first: ConstructionSite, second: ConstructionSite) -> bool:
    """Tell whether a name in the set stands for something new at the second construction."""
    assert first.value.frame is not None
    bindings = first.value.frame.function.scope.bindings
    begin, end = first.site.lineno, second.site.lineno
    return any(
        begin < binding.node.lineno < end
        for name in names_in(first.site)
        for binding in bindings.get(name, ())
    )


def _label(item: ConstructionSite) -> str:
    """Return the name that the construction is given where it stands."""
    assert item.value.frame is not None
    for name, bindings in item.value.frame.function.scope.bindings.items():
        if any(binding.value is item.site for binding in bindings):
            return name
    return item.label


def _sibling(case: Case, item: ConstructionSite, found: list[ConstructionSite]) -> str | None:
    """Return the module in scope that an optimizer is named after, if no optimizer has it."""
    assert item.value.frame is not None
    scope, own = item.value.frame.function.scope, _which(_label(item))
    given = argument(item.site, 0, "params")
    held = {text(argument(other.site, 0, "params") or other.site) for other in found}
    taken = {name for other in found for name in _names(other)}
    mine = [_which(name.rpartition(".")[2]) for name in _names(item)]
    if not own or given is None or any(_fits(own, words_of) for words_of in mine):
        return None
    for name in (*scope.bindings, *scope.parameters):
        if name in taken or _is_optimizer(name) or any(f"{name}." in one for one in held):
            continue
        values = [binding.value for binding in scope.bindings.get(name, ())]
        if any(value is not None and names_in(value) & _roots(item) for value in values):
            continue
        if _fits(own, _which(name)) and _is_trainable(case, name, item):
            return name
    return None


def _fits(own: frozenset[str], other: frozenset[str]) -> bool:
    """`critic_opt` and `critic`, `optim_d` and `discriminator`: whether one is named after."""
    letters = [word for word in own if len(word) == 1 and word.isalpha()]
    if all(word.isdigit() for word in own):
        return own == other
    return own <= other or (
        len(letters) == len(own) and all(word[:1] in letters for word in other) and bool(other)
    )


def _is_trainable(case: Case, name: str, item: ConstructionSite) -> bool:
    """Tell whether a name stands for modules that have parameters, and for nothing else."""
    assert item.value.frame is not None
    scope, exact = item.value.frame.function.scope, _which(name) == _which(_label(item))
    bound = scope.bindings.get(name, ())
    if not bound:
        return exact
    found = [(one.value, case.resolver.value(one.value, item.value.frame)) for one in bound]
    return all(
        (made is not None and made.kind is ValueKind.MODULE and not is_empty(made, case.resolver))
        # `value_modules = [model.value]`: what nobody calls is not something else either.
        or (exact and not isinstance(node, ast.Call) and (made is None or made.kind in OPEN))
        for node, made in found
    )


def _which(name: str) -> frozenset[str]:
    """`self.critic2_optimizer` -> critic, 2; `items` -> item."""
    found = {word.removesuffix("s") for word in words(name) if word and word not in NOUNS}
    return frozenset(found.union(re.findall(r"\d+", name.rpartition(".")[2])))


def _names(item: ConstructionSite) -> set[str]:
    given = argument(item.site, 0, "params")
    return set() if given is None else {text(given), *names_in(given), *_dotted(text(given))}


def _dotted(spelled: str) -> set[str]:
    """Return the dotted names in a spelled expression."""
    clean = "".join(char if char.isalnum() or char in "._" else " " for char in spelled)
    return {part.removesuffix(".parameters") for part in clean.split()}


def _roots(item: ConstructionSite) -> set[str]:
    return {name for name in _names(item) if name.isidentifier() and name != "self"}


def _is_optimizer(name: str) -> bool:
    return bool(OPTIMIZER_WORDS.intersection(words(name)))
