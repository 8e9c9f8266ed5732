"""Checks of a protocol, computed from what the robot's file says: every finding says what, where and how to mend it."""
