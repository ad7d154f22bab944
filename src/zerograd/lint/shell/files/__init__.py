"""Which files lint looks at, and how their bytes become source."""
