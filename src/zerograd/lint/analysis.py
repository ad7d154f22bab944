"""The face of the linter's core: one source in, its findings and its loops out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case
from zerograd.lint.checks.judge import drafts
from zerograd.lint.heat import Heat
from zerograd.lint.interpret.plan import Plan, Unseen, plan_of
from zerograd.lint.interpret.run import Run
from zerograd.lint.interpret.state import Scaler, State
from zerograd.lint.names import frames
from zerograd.lint.names.resolver import Resolver
from zerograd.lint.reach import LoopReach, loops_of
from zerograd.lint.roots import Root, roots_of
from zerograd.lint.witness import finding_of

if TYPE_CHECKING:
    from zerograd.findings import Finding
    from zerograd.lint.checks.case import Draft
    from zerograd.lint.project import Project
    from zerograd.lint.source import Source


@dataclass(slots=True)
class Analysis:
    """What lint has to say about one source."""

    findings: list[Finding] = field(default_factory=list)
    loops: list[LoopReach] = field(default_factory=list)
    """The training loops of the source, checked or not."""


@dataclass(slots=True)
class Outcome:
    """What one root showed, wherever in the project it stands."""

    findings: list[Finding] = field(default_factory=list)
    loops: list[LoopReach] = field(default_factory=list)


class Analyser:
    """Analyses the sources of one project; keeps what it learned from one to the next."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.resolver = Resolver(project)
        self.heat = Heat(project)
        self._outcomes: dict[tuple[str, str], Outcome] = {}

    def analyse(self, source: Source) -> Analysis:
        """Every finding in one source; raises SyntaxError."""
        module = self.project.module(source)
        outcomes = [self.outcome(root) for root in roots_of(module, self.resolver, self.heat)]
        module.frame = None
        here = [item for outcome in outcomes for item in outcome.findings
                if item.location.path == source.path]
        loops = [item for outcome in outcomes for item in outcome.loops
                 if item.location.path == source.path]
        return Analysis(_merged(here), _once(loops))

    def outcome(self, root: Root) -> Outcome:
        """What one root shows; asked twice, answered from memory."""
        key = (root.function.module.path, root.function.name)
        if key not in self._outcomes:
            self._outcomes[key] = self._interpreted(root)
        return self._outcomes[key]

    def _interpreted(self, root: Root) -> Outcome:
        plan: Plan | None = None
        try:
            frame = self._frame(root)
            plan = plan_of(frame, self.resolver, self.heat, fresh=root.fresh)
            case = self.run(plan, root)
            findings = [finding_of(draft) for draft in _distinct(list(drafts(case)))]
            return Outcome(findings, [item for _, item in loops_of(plan, None)])
        except Unseen as stop:
            found = loops_of(stop.plan, str(stop)) if stop.plan is not None else []
            return Outcome([], [item for _, item in found])
        except RecursionError:
            return Outcome()

    def _frame(self, root: Root) -> frames.Frame:
        if not root.function.name:
            return self.resolver.body(root.function.module)
        return frames.entered(root.function, self.resolver)

    def run(self, plan: Plan, root: Root) -> Case:
        """Interpret one root."""
        run = Run(plan, self.resolver, self.heat)
        if plan.holders:
            run.root(_start(plan), repeated=root.repeated)
        return Case(plan, run.applier, self.resolver, self.heat, root.repeated)


def _start(plan: Plan) -> State:
    accounts = tuple(holder.start for holder in plan.holders)
    return State(accounts, tuple(Scaler() for _ in plan.scalers))


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


def _once(loops: list[LoopReach]) -> list[LoopReach]:
    """Each loop once; a loop that some root could check is checked."""
    best: dict[tuple[int, int], LoopReach] = {}
    for item in loops:
        key = (item.location.line, item.location.column)
        if key not in best or (item.checked and not best[key].checked):
            best[key] = item
    return sorted(best.values(), key=lambda item: item.location)
