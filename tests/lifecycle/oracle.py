"""An oracle that shares nothing with the model: every deposit has an identity, nothing is summed.

It keeps, for each single parameter, the list of deposits that lie there, and for each deposit the
list of optimizers that have spent it. What LIFECYCLE says of a step is then read off these lists.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False)
class Deposit:
    source: str | None
    spent_by: list[object] = field(default_factory=list)

    @property
    def fresh(self) -> bool:
        return not self.spent_by


@dataclass(eq=False)
class Holder:
    """An optimizer, and everything that happened since its last step."""

    parameters: set[str]
    deposits: list[Deposit] = field(default_factory=list)
    thrown: list[Deposit] = field(default_factory=list)
    written: bool = False
    used: bool = False
    taken: bool = False
    elsewhere: bool = False
    ever: bool = False
    hinted: bool = False
    sharing: int = 0
    shared: bool = False
    closure_at_fault: bool = False
    steps: int = 0

    def begin(self) -> None:
        self.deposits, self.thrown = [], []
        self.written = self.used = self.taken = self.elsewhere = False


class Oracle:
    def __init__(self, holders: dict[object, set[str]], parameters: str) -> None:
        self.lying: dict[str, list[Deposit]] = {p: [] for p in parameters}
        self.dropped: dict[str, bool] = dict.fromkeys(parameters, False)
        self.holders = {name: Holder(set(held)) for name, held in holders.items()}
        self.ever = False

    # -- what happens to deposits

    def backward(self, parameters: set[str], source: str) -> None:
        deposit = Deposit(source)
        for p in parameters:
            self.lying[p].append(Deposit(source))
        for holder in self.holders.values():
            if holder.parameters & parameters:
                holder.deposits.append(deposit)
        self._came_in(parameters)

    def write(self, parameters: set[str], how: str) -> None:
        if how == "assign":
            for holder in self.holders.values():
                holder.used = True
        for p in parameters:
            self._write_one(p, how)
        for holder in self.holders.values():
            holder.written |= bool(holder.parameters & parameters)
        self._came_in(parameters)

    def _write_one(self, p: str, how: str) -> None:
        has_fresh = any(deposit.fresh for deposit in self.lying[p])
        if how == "assign" or (how == "overwrite" and not has_fresh):
            self.lying[p] = [Deposit(None)]

    def _came_in(self, parameters: set[str]) -> None:
        self.ever = True
        for holder in self.holders.values():
            if holder.parameters & parameters:
                holder.ever = True
            else:
                holder.elsewhere = True

    def clear(self, parameters: set[str]) -> None:
        for p in parameters:
            fresh = [deposit for deposit in self.lying[p] if deposit.fresh]
            for holder in self.holders.values():
                if p in holder.parameters:
                    holder.thrown += [deposit for deposit in fresh if deposit.source]
            self.dropped[p] |= bool(fresh)
            self.lying[p] = []

    def use(self, parameters: set[str]) -> None:
        for p in parameters:
            if any(deposit.fresh for deposit in self.lying[p]):
                for holder in self.holders.values():
                    holder.used |= p in holder.parameters

    # -- steps

    def hold(self, name: object, parameters: set[str]) -> None:
        self.holders.setdefault(name, Holder(set())).parameters |= parameters

    def step(self, name: object, *, skipped: bool = False) -> str | None:
        holder = self.holders[name]
        holder.steps += 1
        if not skipped:
            self._share(name, holder)
        rule = self._judge(name, holder)
        self.spend(name)
        holder.begin()
        return rule

    def spend(self, name: object) -> None:
        for p in self.holders[name].parameters:
            for other_name, other in self.holders.items():
                first_spent = any(d.fresh and d.source for d in self.lying[p])
                other.taken |= other_name != name and p in other.parameters and first_spent
            for deposit in self.lying[p]:
                deposit.spent_by.append(name)
            self.dropped[p] = False

    def evaluate_again(self, name: object) -> str | None:
        holder = self.holders[name]
        mixed = any(self._is_mixed(p) for p in holder.parameters)
        holder.closure_at_fault |= mixed
        self.spend(name)
        return "zero-outside-closure" if mixed else None

    def _share(self, name: object, holder: Holder) -> None:
        lying = [self.lying[p] for p in holder.parameters if self.lying[p]]
        if not lying and not holder.deposits:
            return
        anothers = any(
            all(d.spent_by for d in deposits) and any(name not in d.spent_by for d in deposits)
            for deposits in lying
        )
        holder.sharing = holder.sharing + 1 if anothers else 0

    def _is_mixed(self, p: str) -> bool:
        return len({deposit.fresh for deposit in self.lying[p]}) == 2

    def _judge(self, name: object, holder: Holder) -> str | None:
        rule = self._spending_rule(name, holder) or self._emptiness_rule(holder)
        # Reported after the ranked rules of this very step, so it absorbs from the next one on.
        holder.shared |= holder.sharing >= 2
        return rule

    def _spending_rule(self, name: object, holder: Holder) -> str | None:
        lying = [self.lying[p] for p in holder.parameters if self.lying[p]]
        mine = [deposits for deposits in lying if all(name in d.spent_by for d in deposits)]
        others = [deposits for deposits in lying if deposits not in mine]
        all_fresh = all(d.fresh for deposits in others for d in deposits)
        if mine and all_fresh and not holder.written and not holder.shared:
            return "spent-twice"
        mixed = any(self._is_mixed(p) for p in holder.parameters)
        return "missing-zero" if mixed and not holder.closure_at_fault else None

    def _emptiness_rule(self, holder: Holder) -> str | None:
        if any(self.lying[p] for p in holder.parameters):
            return None
        dropped = any(self.dropped[p] for p in holder.parameters)
        if holder.thrown and dropped and not holder.used and not holder.taken:
            return "zero-before-step"
        if holder.deposits or holder.written:
            return None
        return self._nothing_came_in(holder)

    def _nothing_came_in(self, holder: Holder) -> str | None:
        if not holder.ever:
            return "step-without-backward" if holder.steps >= 3 and not self.ever else None
        if not holder.elsewhere:
            return "step-without-backward"
        said, holder.hinted = holder.hinted, True
        return None if said else "step-without-backward"
