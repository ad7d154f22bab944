"""The abstract interpreter: every possible state of the accounts along every possible path."""
