"""`python -m zerograd` is `zerograd`."""

import sys

from zerograd.cli import main

if __name__ == "__main__":
    sys.exit(main())
