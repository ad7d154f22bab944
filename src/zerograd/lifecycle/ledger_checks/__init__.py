"""Checks on the books of a run, by topic: ask `verdicts` for each fault, and say where it stands.

`verdicts` is what watch and lint share; this is watch's side of it, as `lint/checks` is lint's. A
check reads its facts off the ledger and returns a `Fault`, with the lines that led to it.
"""
