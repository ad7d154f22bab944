"""The language server: what `zerograd lint` finds, in the editor, while somebody types."""
