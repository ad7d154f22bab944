"""A program that lint repairs, before and after, and settings that let it."""

BROKEN = "optimizer.zero_grad()\nloss.backward()  # zerograd: ignore[ZG101, ZG302]\n"
REPAIRED = "optimizer.zero_grad()\nloss.backward()\n"

SETTINGS = "fix = true\nunsafe-fixes = true\nhints = true\n"
"""What an untrusted tree may say: write without being asked to."""
