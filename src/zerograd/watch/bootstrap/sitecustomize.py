"""Python imports this by itself at the start of every process that `zerograd watch` launched.

So the script is run by Python, not by us: its `__main__`, argv, tracebacks and exit status are
the bare run's, and processes that it spawns are watched too. See `watch/launch.py`.
"""

import contextlib
import sys
from pathlib import Path

# Out of the way: the user's own sitecustomize, if any, has the same name and must still run.
sys.path[:] = [entry for entry in sys.path if Path(entry) != Path(__file__).parent]
ours = sys.modules.pop("sitecustomize")
with contextlib.suppress(ModuleNotFoundError):
    import sitecustomize  # noqa: F401  imported for what it does
sys.modules.setdefault("sitecustomize", ours)  # the import system looks for it when we return

from zerograd.watch.child import begin  # noqa: E402  only now is sys.path the user's

begin()
