"""The checks: one module a rule, from what a root's paths showed to drafts of findings."""
