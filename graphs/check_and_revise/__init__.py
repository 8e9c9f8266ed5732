"""The shared subgraph that checks an artifact, has it revised, and stops when clean or out of budget."""

from labwright.graphs.check_and_revise.graph import build_self_check
from labwright.graphs.check_and_revise.state import Checker, Finding, SelfCheckState

__all__ = ["Checker", "Finding", "SelfCheckState", "build_self_check"]
