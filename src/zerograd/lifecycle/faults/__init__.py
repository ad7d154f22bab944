"""Place each verdict of a run on its line, with the lines that led to it."""
