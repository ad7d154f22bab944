"""A program, or a cleaner of temporary files, deletes the run's journal: nobody calls it clean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from warm_python import warm_python
from watched_programs import TRAINING, watch

if TYPE_CHECKING:
    from pathlib import Path

CLEANS_UP = """
import shutil
train(3)
for folder in os.listdir(os.environ["TMPDIR"]):
    if folder.startswith("zerograd-watch-"):
        shutil.rmtree(os.path.join(os.environ["TMPDIR"], folder))
train(3)
print("trained", flush=True)
"""


def test_a_run_whose_journal_was_deleted_is_not_called_clean(tmp_path: Path) -> None:
    run = watch(tmp_path, TRAINING + CLEANS_UP, "-q", "--strict", python=warm_python())

    assert run.stdout == "trained\n"
    assert re.fullmatch(
        r"zerograd: what watch found in process \d+ is lost: No such file or directory\n"
        "zerograd: this run was not watched to its end, and nothing of it is reported: "
        rf"somebody deleted its journal, {re.escape(str(tmp_path))}/zerograd-watch-\w+\n",
        run.stderr,
    )
    assert run.returncode == 2  # strict: a run that was not watched is no run without findings
