"""`zerograd lint`: finds gradient faults in source, by interpreting it without running it."""

# Nothing is imported here: a run that meets no training code starts without the analysis.
