"""The arena: drawn devices with a hidden truth, on which any calibration agent is measured and graded.

The grader is a process of its own: it draws the device, plays it and keeps the truth. An agent has `Arena` (the
package's client) or the same tools over MCP (``labwright arena serve``).
"""

from labwright.evaluation.arena.client import Arena, ArenaDevice

__all__ = ["Arena", "ArenaDevice"]
