"""The face of the linter's core: one source in, its findings and its loops out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.analysis_budget import (
    OPERATION_TEXT,
    REPAIR_OPERATIONS,
    REPAIR_SYNTAX,
    ROUND_OF_CHECKS,
    Budget,
    UnseenError,
    deep_stack,
    file_budget,
    file_deadline,
    root_budget,
)
from zerograd.lint.checks import lightning_losses, trainer_loss
from zerograd.lint.checks.evidence.case import Case
from zerograd.lint.checks.evidence.unseen_loops import is_one_round
from zerograd.lint.checks.finding_from_draft import finding_of
from zerograd.lint.checks.judge import judge
from zerograd.lint.checks.loop_coverage import LoopReach, judged_loops, once, stopped_loops
from zerograd.lint.interpret.interpreter import Interpreter
from zerograd.lint.interpret.plan import RootPlan
from zerograd.lint.interpret.planning import fill
from zerograd.lint.interpret.state import AbstractState, Scaler
from zerograd.lint.program.display_paths import shown
from zerograd.lint.program.relevance import Relevance
from zerograd.lint.program.source_file import tree_size
from zerograd.lint.roots import Root, Roots
from zerograd.lint.values.resolver import Resolver
from zerograd.record import field, record, replace
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.findings import Finding, Fix
    from zerograd.lint.checks.evidence.case import Draft
    from zerograd.lint.checks.judge import Judgement
    from zerograd.lint.program.module import Function, Module
    from zerograd.lint.program.project import Project
    from zerograd.lint.program.source_file import Source
    from zerograd.lint.roots import Start


Place = tuple[str, str, int | None, int, int]

REPAIRED_HINTS = ("unequal-micro-batches",)
"""Rules whose hints are repaired: the source never shows more, and watch finds the same line."""


@record()
class Analysis:
    """What lint has to say about one source."""

    findings: list[Finding] = field(default_factory=list)
    loops: list[LoopReach] = field(default_factory=list)
    """The training loops of the source, checked or not."""

    elsewhere: frozenset[str] = frozenset()
    """Other files in which what this one runs is at fault."""


@record()
class Outcome:
    """What one root showed, wherever in the project it stands."""

    findings: list[Finding] = field(default_factory=list)
    loops: list[LoopReach] = field(default_factory=list)
    repairs: dict[Place, tuple[Fix, ...]] = field(default_factory=dict)
    """Candidates by rule and place, not yet accepted."""

    cost: int = 0
    """Operations that it took, which every file pays that it belongs to."""

    stopped: bool = False
    """It was not followed to its end: nothing in it was judged."""

    entered: frozenset[tuple[str, str]] = frozenset()
    """The functions in which something happened, by file and name."""


class Analyser:
    """Analyses the sources of one project; keeps what it learned from one to the next."""

    def __init__(self, project: Project, *, repairs: bool = True) -> None:
        self.project = project
        self.repairs = repairs
        self.resolver = Resolver(project)
        self.relevance = Relevance(project)
        self.roots = Roots(self.resolver, self.relevance)
        self._outcomes: dict[Start, Outcome] = {}
        self._budget = file_budget(file_deadline())
        """What the file that is analysed may still cost."""

    @property
    def spent(self) -> int:
        """What the last analysis took."""
        return self._budget.spent

    def analyse(self, source: Source) -> Analysis:
        """Every finding in one source; raises SyntaxError."""
        module = self.project.module(source)
        self._budget = file_budget(file_deadline())
        with deep_stack():
            outcomes = self._judged(module)
            checks = (trainer_loss.check_module, lightning_losses.check_module)
            methods = [(finding_of(draft), draft) for check in checks for draft in check(module)]
        self.project.release(module)
        self.resolver.forget_calls()
        own = module.key
        here = [
            item
            for outcome in outcomes
            for item in outcome.findings
            if shown(item.location.path) == own
        ]
        here += [finding for finding, _ in methods]
        loops = [
            item
            for outcome in outcomes
            for item in outcome.loops
            if shown(item.location.path) == own
        ]
        found = _merged(here)
        if self.repairs and tree_size(source.text) <= REPAIR_SYNTAX:
            offers = {
                place: fixes for outcome in outcomes for place, fixes in outcome.repairs.items()
            }
            if methods:
                # Loaded late: few programs derive a Trainer.
                from zerograd.lint.repair import trainer_fixes

                offers |= {_place(finding): trainer_fixes(draft) for finding, draft in methods}
            trials = Budget(REPAIR_OPERATIONS, deadline=self._budget.deadline)
            found = [
                self._repaired(item, offers.get(_place(item), ()), source, found, trials)
                for item in found
            ]
        everywhere = {shown(item.location.path) for each in outcomes for item in each.findings}
        return Analysis(found, once(loops), frozenset(everywhere - {own}))

    def _judged(self, module: Module) -> list[Outcome]:
        """Return what the roots of a module showed, as far as its budget goes."""
        try:
            self.resolver.budget = self._budget
            places = self.roots.of(module)
        except UnseenError as stop:
            return [Outcome(loops=[LoopReach(module.source.locate(module.tree), str(stop))])]
        outcomes = self._outcomes_of(places)
        outcomes += self._parts_of(places, outcomes)
        return [*outcomes, *self._outcomes_of(self._left_out(module, places, outcomes))]

    def _left_out(
        self, module: Module, places: list[Start], outcomes: list[Outcome]
    ) -> list[Start]:
        """Return the functions with a training loop that no root came to.

        Somebody calls them, so that they are no roots; but on a way that could not be followed.
        """
        if any(outcome.stopped for outcome in outcomes):
            return []
        seen = {place[:2] for place in places}.union(*(item.entered for item in outcomes))
        self.resolver.budget = self._budget
        try:
            loops = self.roots.loops_of(module)
        except UnseenError:
            return []
        return [(module.key, name, "") for name in loops if (module.key, name) not in seen]

    def _outcomes_of(self, places: list[Start]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for place in places:
            outcomes.append(self.outcome(place))
            try:
                self._budget.spend(outcomes[-1].cost)
            except UnseenError as stop:
                rest = places[len(outcomes) :]
                return outcomes + [self._unjudged(item, str(stop)) for item in rest]
        return outcomes

    def _parts_of(self, places: list[Start], outcomes: list[Outcome]) -> list[Outcome]:
        """Judge the functions that a program runs, one by one, where the whole was too much.

        `main()` of a large project sets up ten networks before it calls `train()`, which could be
        followed: it is taken like a function whose caller is not in sight. They have a budget
        of their own, as large as the file's. A part that is too much as well is gone into in its
        turn, and not told of: the whole was.
        """
        whole = [place for place, outcome in zip(places, outcomes, strict=True) if outcome.stopped]
        if not whole:
            return []
        self._budget = file_budget(self._budget.deadline)
        found: list[Outcome] = []
        known = set(places)
        while whole:
            path, name, _ = whole.pop()
            called = (self.roots.calls(path) or {}).get(name, set())
            parts = [(*place, "") for place in sorted(called)]
            fresh = [place for place in parts if place not in known]
            known.update(fresh)
            judged = self._outcomes_of(fresh)
            found += [item for item in judged if not item.stopped]
            whole += [place for place, item in zip(fresh, judged, strict=True) if item.stopped]
        return found

    def _unjudged(self, place: Start, why: str) -> Outcome:
        """Return the outcome of a root for which nothing was left."""
        path, name, _ = place
        module = self.project.at(path)
        function = module.functions.get(name) if module is not None else None
        if function is None:
            return Outcome()
        return Outcome(loops=[_cut(function, why)], stopped=True)

    def _repaired(
        self,
        finding: Finding,
        fixes: tuple[Fix, ...],
        source: Source,
        found: list[Finding],
        trials: Budget,
    ) -> Finding:
        """Return the finding with the first repair that another analysis accepts."""
        if not fixes:
            return finding

        from zerograd.lint.repair import accepted

        def again(changed: Source) -> list[Finding]:
            trials.spend(len(changed.text) // OPERATION_TEXT)
            project = self.project.with_source(changed)
            analyser = Analyser(project, repairs=False)
            try:
                return analyser.analyse(changed).findings
            finally:
                project.close()
                trials.spend(analyser.spent)

        try:
            fix = accepted(finding, fixes, source, found, again)
        except UnseenError:
            # The finding's words say what to do; nobody tried it out.
            return finding
        return replace(finding, fix=fix) if fix is not None else finding

    def outcome(self, place: Start) -> Outcome:
        """Return what the root of a place shows; asked twice, answered from memory."""
        if place not in self._outcomes:
            try:
                root = self.roots.at(place)
                self._outcomes[place] = Outcome() if root is None else self._interpreted(root)
            except UnseenError as stop:
                self._outcomes[place] = self._unjudged(place, str(stop))
        return self._outcomes[place]

    def _interpreted(self, root: Root) -> Outcome:
        budget = self.resolver.budget = root_budget(self._budget.deadline)
        plan = RootPlan(self.resolver.alone(root.function, root.receiver))
        try:
            outcome = self._followed(root, plan)
        except UnseenError as stop:
            outcome = _stopped(root, plan, str(stop))
        except RecursionError:
            outcome = _stopped(root, plan, "nested too deeply")
        outcome.cost = budget.spent
        return outcome

    def _followed(self, root: Root, plan: RootPlan) -> Outcome:
        fill(plan, self.resolver, self.relevance, fresh=root.fresh)
        case = self.run(plan, root)
        judgement = self._judgement(case)
        homes = (event.frame.function for event in plan.events)
        entered = frozenset((function.module.key, function.name) for function in homes)
        outcome = Outcome(loops=judged_loops(case, judgement), entered=entered)
        for draft in _distinct(judgement.told):
            finding = finding_of(draft)
            outcome.findings.append(finding)
            is_hint = draft.severity is Severity.HINT and draft.rule not in REPAIRED_HINTS
            if self.repairs and not is_hint:
                # Loaded late: most programs have nothing to repair.
                from zerograd.lint.repair import candidates

                outcome.repairs[_place(finding)] = candidates(draft, case)
        return outcome

    def _judgement(self, case: Case) -> Judgement:
        """Judge a root; checks compare its events with each other, for every account and draft."""
        budget, events = self.resolver.budget, len(case.plan.events)
        budget.spend(ROUND_OF_CHECKS + events * len(case.plan.holders))
        return judge(case, at_each_draft=lambda: budget.spend(ROUND_OF_CHECKS + events))

    def run(self, plan: RootPlan, root: Root) -> Case:
        """Interpret one root."""
        run = Interpreter(plan, self.resolver, self.relevance)
        called = bool(root.function.name) and not root.function.last_name.startswith("test")
        unseen = called and not root.repeated and is_one_round(plan)
        repeated = root.repeated or unseen
        if plan.holders:
            run.root(_start(plan), repeated=repeated)
        return Case(plan, run.applier, self.resolver, self.relevance, repeated, unseen)


def _stopped(root: Root, plan: RootPlan, why: str) -> Outcome:
    """Return the outcome of a root that was not followed to its end: nothing in it was judged."""
    return Outcome(loops=stopped_loops(plan, why) or [_cut(root.function, why)], stopped=True)


def _cut(function: Function, why: str) -> LoopReach:
    """Return a whole function in place of its loops, which were not reached."""
    return LoopReach(function.module.source.locate(function.node), why)


def _place(finding: Finding) -> Place:
    location = finding.location
    return (finding.rule.code, location.path, location.cell, location.line, location.column)


def _start(plan: RootPlan) -> AbstractState:
    accounts = tuple(holder.start for holder in plan.holders)
    return AbstractState(accounts, tuple(Scaler() for _ in plan.scalers))


def _distinct(found: list[Draft]) -> list[Draft]:
    """One fault, one finding: of several drafts of a rule on one node the heaviest stays."""
    best: dict[tuple[str, int], Draft] = {}
    for draft in found:
        key = (draft.rule, id(draft.spot.node))
        if key not in best or draft.severity.rank < best[key].severity.rank:
            best[key] = draft
    return list(best.values())


def _merged(found: list[Finding]) -> list[Finding]:
    best: dict[tuple[object, ...], Finding] = {}
    for item in found:
        key = (item.rule.code, item.location.line, item.location.column)
        if key not in best or item.severity.rank < best[key].severity.rank:
            best[key] = item
    return sorted(best.values(), key=lambda item: (item.location, item.rule.code))
