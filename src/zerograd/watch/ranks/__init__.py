"""Several ranks under watch: what each shares with the others, and where they part."""
