"""Labwright: LangGraph agents for autonomous science."""

__version__ = "0.1.0"
