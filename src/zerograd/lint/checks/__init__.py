"""One module a rule, where the accounts alone do not decide: from observations to drafts."""
