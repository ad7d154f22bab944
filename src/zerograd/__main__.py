"""`python -m zerograd` is `zerograd`."""

from zerograd.cli import main

if __name__ == "__main__":
    main()
