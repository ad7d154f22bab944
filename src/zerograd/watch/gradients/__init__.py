"""The parameters of a run, and what lies in their gradients at this moment."""
