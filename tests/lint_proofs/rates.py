"""How many machine-made faults lint finds: `make mutants` writes docs/mutation-rates.md."""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from mutations import mutants
from spending import spending_of

from zerograd.lifecycle import Severity
from zerograd.lint import Analyser, Project, Source
from zerograd.rules import CATALOGUE, SeenBy, find_rule
from zerograd.rules.page import read_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mutations import Mutant
    from spending import Spending

    from zerograd.lint.checks.evidence.case import Case
    from zerograd.lint.interpret.plan import RootPlan
    from zerograd.lint.roots import Root

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "mutation-rates.md"
LINTED = {rule.code for rule in CATALOGUE if SeenBy.LINT in rule.seen}
NOT_ALONE = ("frameworks", *(rule.module for rule in CATALOGUE if rule.section in (0, 5)))
"""Folders whose programs need packages, ranks or broken files."""

WORKERS = 2
"""Programs that are tried at once; each runs in a process of its own."""

MOST = 6
"""Mutants of one program: all of them would take an hour, and ten of one loop tell what six do."""

UNSTEADY = {"a3c_threads", "optimizer_in_backward", "sgd_in_backward_hook"}
"""Threads take turns as they like; hooks on parameters are no lines of bookkeeping."""

TELLING = {
    "elastic",
    "debugging",
    "lesson",
    "misconceptions",
    "small_memory",
    "tracking",
    "two_ranks",
    "ways_of_clearing",
}
"""Examples that show faults, start ranks or compare ways: no place to make a fault in."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One mutant, run and linted."""

    program: str
    mutant: Mutant
    spending: Spending
    differs: bool
    """It spends something else than the program that it was made from."""

    found: frozenset[str]
    """Codes that lint reports at error or warning level."""


def right_programs() -> dict[str, str]:
    """Return the sources of all programs that are right, by name."""
    scripts = [*TESTS.glob("scripts/*/correct_*.py"), *TESTS.glob("scripts/idioms/*.py")]
    scripts += (TESTS.parent / "examples").glob("*.py")
    usable = [
        p for p in scripts if p.parent.name not in NOT_ALONE and p.stem not in UNSTEADY | TELLING
    ]
    found = {f"{path.parent.name}/{path.stem}": path.read_text("utf-8") for path in usable}
    for rule in CATALOGUE:
        if rule.section not in (0, 5):
            found[f"page/{rule.name}"] = read_page(rule).programs[1].source
    return dict(sorted(found.items()))


def loud(source: str) -> frozenset[str]:
    """Return the codes that lint reports about a program."""
    return frozenset(
        item.rule.code
        for item in Analyser(Project(), repairs=False).analyse(Source("train.py", source)).findings
        if item.severity is not Severity.HINT
    )


class Following(Analyser):
    """An analysis that also tells whether it knew every account when it was spent."""

    def __init__(self) -> None:
        super().__init__(Project(), repairs=False)
        self.met: list[bool] = []

    def run(self, plan: RootPlan, root: Root) -> Case:
        """Interpret one root, and note how well each step's account was known."""
        case = super().run(plan, root)
        accounts = [seen.account for seen in case.steps()]
        self.met += [not account.extra and not account.written for account in accounts]
        return case


def is_followed(source: str) -> bool:
    """Tell whether lint knows what every step of a program spends."""
    following = Following()
    loops = following.analyse(Source("train.py", source)).loops
    return bool(following.met) and all(following.met) and all(loop.checked for loop in loops)


def trials(
    programs: dict[str, str], chosen: Callable[[list[Mutant]], list[Mutant]], folder: Path
) -> Iterator[Trial]:
    """Run and lint the chosen mutants of all programs that lint can follow."""
    for name, source in programs.items():
        yield from tried(name, source, chosen, folder)


def tried(
    name: str, source: str, chosen: Callable[[list[Mutant]], list[Mutant]], folder: Path
) -> Iterator[Trial]:
    """Run and lint the chosen mutants of one program, if lint can follow it and it is right."""
    if not is_followed(source) or loud(source):
        return
    picked = chosen(list(mutants(source)))
    right = run(source, folder) if picked else None
    if right is None or right.ending or right.faults:
        return
    for mutant in picked:
        spending = run(mutant.source, folder)
        yield Trial(name, mutant, spending, spending.spent != right.spent, loud(mutant.source))


def sample(every: list[Mutant]) -> list[Mutant]:
    """Return a few mutants of a program, in order, and the same ones each time."""
    picked = Random(0).sample(range(len(every)), min(MOST, len(every)))
    return [every[at] for at in sorted(picked)]


def run(source: str, folder: Path) -> Spending:
    """Run one program; the file's name is the same for all, as a program may print it."""
    program = folder / "train.py"
    program.write_text(source, "utf-8")
    return spending_of(program)


def by_kind(done: Iterable[Trial]) -> dict[str, list[Trial]]:
    """Return the trials of each kind of mutation."""
    rows = defaultdict(list)
    for trial in done:
        rows[f"{trial.mutant.what} {trial.mutant.how}"].append(trial)
    return dict(sorted(rows.items()))


def by_rule(done: Iterable[Trial]) -> dict[str, list[Trial]]:
    """Return the trials in which watch saw each rule that lint knows too."""
    rows = defaultdict(list)
    for trial in done:
        for code in trial.spending.faults & LINTED:
            rows[code].append(trial)
    return dict(sorted(rows.items()))


def rate(done: list[Trial]) -> str:
    """Return `17 of 18, 94 %`."""
    found = sum(bool(trial.found) for trial in done)
    return f"{found} of {len(done)} ({100 * found // len(done)} %)" if done else "-"


def page(done: list[Trial], usable: int) -> str:
    """Return the report; `usable` is how many programs there were to make mutants of."""
    changed = [trial for trial in done if trial.differs]
    faulty = [trial for trial in changed if trial.spending.faults & LINTED]
    stopped = [trial for trial in changed if trial not in faulty and trial.spending.ending]
    unruled = [trial for trial in changed if trial not in faulty and trial not in stopped]
    same = [trial for trial in done if not trial.differs]
    programs = len({trial.program for trial in done})
    return "\n".join(
        [
            HEAD.format(count=len(done), programs=programs, usable=usable),
            f"- Of all mutants that spend other gradients lint finds {rate(changed)}.",
            f"- Of those with a rule (watch sees one in the run that lint knows), {rate(faulty)}.",
            f"- Of those that an exception of Python or torch stops, {rate(stopped)}.",
            f"- Of those without a rule, {rate(unruled)}: a clip is gone, or one of several",
            "  steps, or two steps changed places.",
            f"- Of those that spend the same, {rate(same)}: most move a clip that cuts nothing.",
            "",
            *kinds(done),
            RULES,
            *rules(changed),
            MISSED,
            *(missed(trial) for trial in faulty if not trial.found),
            UNRULED,
            *(missed(trial) for trial in [*stopped, *unruled] if not trial.found),
            "",
        ]
    )


def kinds(done: list[Trial]) -> Iterator[str]:
    """Yield the table by what was done to which line."""
    yield "| what was done to which line | mutants | spend other gradients, found |"
    yield "|---|---|---|"
    for kind, each in by_kind(done).items():
        differing = [trial for trial in each if trial.differs]
        yield f"| {kind} | {len(each)} | {rate(differing)} |"


def rules(changed: list[Trial]) -> Iterator[str]:
    """Yield the table by what watch saw."""
    yield "| rule that watch saw | found by lint | of these by the same rule |"
    yield "|---|---|---|"
    for code, each in by_rule(changed).items():
        exact = sum(code in trial.found for trial in each)
        yield f"| {find_rule(code).name} ({code}) | {rate(each)} | {exact} |"


def missed(trial: Trial) -> str:
    """Return one line about a mutant that lint passes over."""
    seen = ", ".join(sorted(trial.spending.faults)) or trial.spending.ending or "nothing"
    mutant = trial.mutant
    return f"- {trial.program}: {mutant.what} of line {mutant.line} {mutant.how} (watch: {seen})"


HEAD = """\
# How many faults lint finds

Written by `make mutants`; do not edit. Taken are {programs} of {usable} right programs
(tests/scripts, examples and the pages' repaired programs) in which lint knows the accounts at
every step. One line in them that clears, steps, clips, unscales or updates was deleted or moved
by machine: past the nearest line that matters, before the loop, or out of its test. At most six of
each program, drawn with a fixed seed, make {count} mutants. Each was run, and what its steps spend
was compared with the right program's, bit for bit. Each was linted, and counts as found if a
finding at error or warning level came up.
"""

RULES = """
The same by rule: what `zerograd watch` saw in the run decides which fault a mutant has; it can
have several. A deleted clip is no fault of any rule, a step that is gone while others stay seldom.
"""

MISSED = """
## Missed, though watch sees the fault
"""

UNRULED = """
## Passed over, as no rule speaks of it or an exception does
"""


def main() -> int:
    """Run everything and write the page; takes a while."""
    programs = right_programs()
    with tempfile.TemporaryDirectory() as top, ThreadPoolExecutor(WORKERS) as workers:

        def work(name: str) -> list[Trial]:
            folder = Path(top, name)
            folder.mkdir(parents=True)
            return list(tried(name, programs[name], sample, folder))

        done = [trial for each in workers.map(work, programs) for trial in each]
    usable = sum(map(is_followed, programs.values()))
    PAGE.write_text(page(done, usable), "utf-8")
    print(PAGE.relative_to(TESTS.parent))
    return 0


if __name__ == "__main__":
    sys.exit(main())
