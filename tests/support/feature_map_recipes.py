"""Any recipe of the grammar, for Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from labwright.tools.feature_maps.recipe import AXES, ENTANGLERS, PATTERNS, STARTS, Recipe


def recipes() -> st.SearchStrategy[Recipe]:
    """Draws over all fields, within their bounds."""
    angles = st.floats(-6.2, 6.2, allow_nan=False)
    return st.builds(
        Recipe,
        start=st.sampled_from(STARTS),
        axes=st.lists(st.sampled_from(AXES), min_size=1, max_size=4),
        scale=st.floats(0.05, 12.5),
        decay=st.floats(0.01, 1.0),
        centre=st.floats(0.0, 1.0),
        offset=angles,
        entangler=st.sampled_from(ENTANGLERS),
        entangler_angle=angles,
        pattern=st.sampled_from(PATTERNS),
        every=st.integers(1, 8),
        repeats=st.integers(1, 4),
        mixing=st.floats(-0.9, 0.9),
    )
