"""From torch's calls to the events of the ledger: the observer and its parts."""
