"""Starts the training where Transformers is installed; elsewhere there is nothing to start."""

import importlib.util

if __name__ == "__main__":
    print("ready" if importlib.util.find_spec("transformers") else "no transformers here")
