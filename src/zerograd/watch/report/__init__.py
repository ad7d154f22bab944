"""From the ledger's faults to findings, lines on the console and the record of a run."""
