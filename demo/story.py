"""What `make demo` shows: a broken loop linted, watched, repaired, watched again, and the engine.

    python demo/story.py [FOLDER]

works in a folder of its own, and leaves the HTML report there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ZEROGRAD = (sys.executable, "-m", "zerograd")

STORY = (
    (
        "Here is a training loop, as many a tutorial has it:",
        ("cat", "train.py"),
        0,
    ),
    (
        "It runs, nothing fails, and it is wrong. Without running it:",
        (*ZEROGRAD, "lint", "train.py"),
        1,
    ),
    (
        "What does that do to a training? Run it as it is, and watch:",
        (*ZEROGRAD, "watch", "-q", "--html", "report.html", "train.py"),
        0,
    ),
    (
        "The repair, as a diff:",
        (*ZEROGRAD, "lint", "-q", "--unsafe-fixes", "--diff", "train.py"),
        1,
    ),
    (
        "Write it:",
        (*ZEROGRAD, "lint", "--unsafe-fixes", "--fix", "train.py"),
        0,
    ),
    (
        "And watch again. The loss was 3.5531 after 41 steps:",
        (*ZEROGRAD, "watch", "train.py"),
        0,
    ),
    (
        "The engine cannot forget. In unequal micro-batches it ends where the full batch ends:",
        (sys.executable, "engine.py"),
        0,
    ),
)
"""What is said, what is typed, and the exit status that it must have."""


def main(folder: Path) -> int:
    """Tell the story in this folder; return 0 if every part ended as it should."""
    for name in ("train.py", "engine.py"):
        shutil.copy(HERE / name, folder)
    for number, (said, command, status) in enumerate(STORY, 1):
        typed = (
            " ".join(command).replace(f"{sys.executable} -m ", "").replace(sys.executable, "python")
        )
        print(f"\n[{number}/{len(STORY)}] {said}\n\n$ {typed}", flush=True)
        ended = subprocess.run(command, cwd=folder).returncode
        if ended != status:
            print(f"demo: this should have ended with {status}, and ended with {ended}")
            return 1
    print(f"\nThe wrong run as a page, to open in a browser: {folder / 'report.html'}")
    print("Now yours: .venv/bin/zerograd lint PATH, or .venv/bin/zerograd watch train.py")
    return 0


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(Path(given[0] if given else tempfile.mkdtemp(prefix="zerograd-demo-"))))
