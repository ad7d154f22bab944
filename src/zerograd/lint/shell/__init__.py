"""Around the analysis: files in, results out, with settings, pragmas and baseline obeyed."""
