"""What stands between the arrays and the drivers: devices, settings, the kernel compiler, messages."""
