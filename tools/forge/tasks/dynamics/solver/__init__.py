"""The kernel of dynamics cards: expressions, operators, evolution, results. Copied whole into a task's workspace.

It imports numpy, scipy, QuTiP and itself only, so that what ran can be read and run again without Labwright.
"""
