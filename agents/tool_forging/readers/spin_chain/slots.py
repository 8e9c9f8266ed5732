"""What a task about chains can give besides its Hamiltonian, as slots."""

from __future__ import annotations

from labwright.agents.tool_forging.readers.language.quantities import Slot

THINGS = (
    r"(?:\w+[- ])?(?:steps?|points?|times|time units?|units of time|periods?|kicks?|cycles?|values|instants|frames)"
)

SLOTS: tuple[Slot, ...] = (
    Slot("step", ("", "time"), (
        r"every|each|(?:time[- ]?)?steps?(?: size)?(?: of| =|:)?|increments?(?: of)?|spacing(?: of)?|apart|resolution|"
        r"intervals? of|dt"
    ), ("dt", "deltat", "Deltat", "tau")),
    Slot("points", ("",), r"(?:time |equally spaced |equidistant |evenly spaced )?(?:points?|times|values|"
    r"instants|frames|samples|snapshots)", (
        "npoints", "ntimes"
    )),
    Slot("steps", ("",), (
        r"(?:trotter |time )?(?:trotter[- ])?(?:steps|slices)|(?:trotter |time )(?:steps|slices)|intervals"
    ), ("nsteps", "ntrotter")),
    Slot("total", ("", "time"), (
        r"(?:total |final |evolution )?times?(?: t)?|until|till|up to|for|over|during|t|J\s*\*?\s*t|t\s*J|time "
        r"units?|units of time|"
        r"evolv\w*(?: \w+)? (?:to|for)|0\s*<=\s*t\s*<=|t from|window"
    ), ("t", "tmax", "tf", "T", "Jt", "tend", "tfinal", "Ttotal", "tJ")),
)  # fmt: skip
