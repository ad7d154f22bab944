"""The observer's answers in a loop that repeats: cached, compared and replayed."""
