"""Verdicts: what exactly is a fault, once, for watch, lint and the engine.

Pure functions from facts to verdicts. `watch` knows every fact, because it happened; `lint` knows
some, and an unknown one carries the assumption that the verdict then rests on. Nothing here knows
where a fault stands or how it is told.
"""
