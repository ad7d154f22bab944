"""Write the version and the changelog of a release: `make release VERSION=0.1.0`.

The first release's entry stands in CHANGELOG.md, written by hand, and gets its date here. Later
ones are built from the fragments of changelog.d. Publishes nothing.
"""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]

VERSIONS = {
    "src/zerograd/__init__.py": '__version__ = "{}"',
    "CITATION.cff": "version: {}",
    "conda/recipe.yaml": '  version: "{}"',
}
"""The line of each file that names the version."""

NO_FRAGMENTS = {"README.md", "template.md"}


def main() -> int:
    """Prepare the release that was asked for; return 1 where that cannot be done."""
    version = sys.argv[1]
    if refused := refusal(ROOT, version):
        print(f"zerograd: {refused}", file=sys.stderr)
        return 1
    write_versions(ROOT, version)
    write_changelog(ROOT, version)
    return 0


def refusal(root: Path, version: str) -> str | None:
    """Return why this version cannot be released, in one sentence; None if it can."""
    fragments = fragments_of(root)
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        return f"{version} is no version like 0.1.0"
    if has_entry(root, version) and fragments:
        return (
            f"CHANGELOG.md has an entry of {version}, and changelog.d has fragments that it may"
            f" not tell ({fragments[0]}, ...): fold them into it, and remove them"
        )
    if not has_entry(root, version) and not fragments:
        return f"CHANGELOG.md has no entry of {version}, and changelog.d no fragment to make one of"
    return None


def fragments_of(root: Path) -> list[str]:
    """Return the names of the changes that no release has told."""
    return sorted(
        path.name
        for path in (root / "changelog.d").iterdir()
        if path.name not in NO_FRAGMENTS and not path.name.startswith(".")
    )


def has_entry(root: Path, version: str) -> bool:
    """Whether the changelog tells of this version."""
    return f"\n## {version} (" in (root / "CHANGELOG.md").read_text("utf-8")


def write_versions(root: Path, version: str) -> None:
    """Name the version wherever it is named."""
    for name, line in VERSIONS.items():
        before, after = (re.escape(part) for part in line.split("{}"))
        written, count = re.subn(
            f"^{before}.*{after}$",
            line.format(version),
            (root / name).read_text("utf-8"),
            flags=re.MULTILINE,
        )
        assert count == 1, f"{name} has {count} lines like {line}"
        (root / name).write_text(written, "utf-8")


def write_changelog(root: Path, version: str) -> None:
    """Date the entry that was written by hand, or build one of the fragments."""
    if not has_entry(root, version):
        towncrier = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", version]
        subprocess.run([*towncrier, "--dir", str(root)], check=True)
        return
    path = root / "CHANGELOG.md"
    today = datetime.now(UTC).date().isoformat()
    entry = f"\n## {version} ({{}})\n"
    written = path.read_text("utf-8").replace(entry.format("unreleased"), entry.format(today))
    path.write_text(written, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
