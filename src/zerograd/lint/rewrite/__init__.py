"""Repairs become text: edits applied, notebooks rewritten in place, files replaced as a whole."""
