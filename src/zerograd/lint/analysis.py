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
    loops: list[object] = field(default_factory=list)


class Analyser:
    """Analyses the sources of one project; keeps what it learned from one to the next."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.resolver = Resolver(project)
        self.heat = Heat(project)

    def analyse(self, source: Source) -> Analysis:
        """Every finding in one source; raises SyntaxError."""
        module = self.project.module(source)
        found: dict[tuple[object, ...], Draft] = {}
        for root in roots_of(module, self.resolver, self.heat):
            for draft in self.drafts(root):
                if draft.spot.module is not module:
                    continue
                node = draft.spot.node
                key = (draft.rule, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
                if key not in found or draft.severity.rank < found[key].severity.rank:
                    found[key] = draft
        findings = [finding_of(draft) for draft in found.values()]
        return Analysis(sorted(findings, key=lambda item: (item.location, item.rule.code)))

    def drafts(self, root: Root) -> list[Draft]:
        """The findings of one root; none when it cannot be followed to its end."""
        try:
            case = self.run(root)
        except (Unseen, RecursionError):
            return []
        return list(drafts(case)) if case is not None else []

    def run(self, root: Root) -> Case | None:
        """Interpret one root."""
        frame = frames.entered(root.function, self.resolver)
        if not root.function.name:
            frame = self.resolver.body(root.function.module)
        plan = plan_of(frame, self.resolver, self.heat, fresh=root.fresh)
        run = Run(plan, self.resolver, self.heat)
        if plan.holders:
            run.root(_start(plan), repeated=root.repeated)
        return Case(plan, run.applier, self.resolver, self.heat, root.repeated)


def _start(plan: Plan) -> State:
    accounts = tuple(holder.start for holder in plan.holders)
    return State(accounts, tuple(Scaler() for _ in plan.scalers))
