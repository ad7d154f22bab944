"""Who is who: which expression is an optimizer, a module, a scaler, and which of them are one."""
