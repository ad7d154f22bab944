"""The one file that every benchmark writes: benchmarks/RESULTS.md, a section each.

    python benchmarks/results.py

writes the head (on which machine, with which versions, how to read the tables) and marks anew
which rows of what was measured before missed what was asked.
"""

from __future__ import annotations

import os
import platform
import re
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from asked import marked

RESULTS = Path(__file__).with_name("RESULTS.md")
HEAD = "head"
ORDER = (
    HEAD,
    "engine",
    "generator",
    "clearing",
    "hints",
    "memory",
    "ranks",
    "watch",
    "ranks-watch",
    "report",
    "lint",
    "server",
    "startup",
)
"""Where a section stands, whichever is measured first; one that is not named here comes last."""
LIBRARIES = ("torch", "accelerate", "lightning", "pytorch-ignite", "transformers", "ruff")
WRITTEN = """\
Written by `make bench` or `make bench-quick`, never by hand. **Measured on CPU; on CUDA only the \
absence of host reads is asserted.**"""
READING = """\
A **ratio** compares the CPU time of two ways to do the same within one round; 1.00 is as fast as \
what it is compared with, less is faster. Median, 5th and 95th percentile are taken over the \
rounds; "quiet" compares the fast blocks of both (p5 of their times), which a busy machine \
disturbs least. **A/A** is the first of them measured again against itself: what differs from 1.00 \
by less than it does is no result. "At most" is what was asked of a row, judged by "quiet" or, \
where there is none, by the median; a row above it is marked **missed**."""
SECTION = re.compile(r"^<!-- begin (\S+) -->\n(.*?)^<!-- end \1 -->$", re.MULTILINE | re.DOTALL)


def write_section(name: str, lines: list[str]) -> None:
    """Put lines, the first of them a heading, in the place of what was measured before."""
    before = RESULTS.read_text("utf-8") if RESULTS.exists() else ""
    if HEAD not in sections(before):
        before = with_section(before, HEAD, head())
    stamp = ["", f"*Measured {_today()}, load {os.getloadavg()[0]:.1f} as it ended.*"]
    RESULTS.write_text(with_section(before, name, [*lines, *stamp]), "utf-8")


def with_section(text: str, name: str, lines: list[str]) -> str:
    """Return the whole text with one section replaced, or added in its place."""
    bodies = sections(text) | {name: marked("\n".join(lines).strip("\n"))}
    places = {known: place for place, known in enumerate(ORDER)}
    ordered = sorted(bodies, key=lambda one: places.get(one, len(ORDER)))
    return "\n".join(f"<!-- begin {one} -->\n{bodies[one]}<!-- end {one} -->\n" for one in ordered)


def sections(text: str) -> dict[str, str]:
    """Return the text of every section, by name."""
    return dict(SECTION.findall(text))


def head() -> list[str]:
    """Return where it was measured, and how to read it."""
    machine = f"{_processor()}, {os.cpu_count()} cores; Python {platform.python_version()}"
    versions = ", ".join(map(_with_version, LIBRARIES))
    return ["# Measured", "", WRITTEN, "", f"{_today()}: {machine}; {versions}.", "", READING]


def _today() -> str:
    return str(datetime.now(UTC).date())


def _processor() -> str:
    """Return the processor's name where the system tells it."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text("utf-8").splitlines() if known.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _with_version(library: str) -> str:
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return f"{library} not installed"


def main() -> None:
    """Write the head anew, and the sections with their marks."""
    text = RESULTS.read_text("utf-8") if RESULTS.exists() else ""
    for name, body in (sections(text) | {HEAD: "\n".join(head())}).items():
        text = with_section(text, name, body.splitlines())
    RESULTS.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
