"""What a program calls: `zerograd.watch(...)` and the object that it returns."""
