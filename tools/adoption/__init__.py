"""Experiments that were written for other frameworks, described by a card and run as they are."""

from labwright.tools.adoption.experiment import adopt

__all__ = ["adopt"]
