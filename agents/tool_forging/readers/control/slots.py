"""What a control task can give, as slots."""

from __future__ import annotations

from labwright.agents.tool_forging.readers.language.quantities import Slot

THINGS = r"(?:\w+[- ])?(?:slices?|slots?|pieces?|steps?|intervals?|segments?|time units?|units of time|iterations|bins)"
_PIECES = r"(?:slices?|slots?|pieces?|steps?|intervals?|segments?|bins?|parts?|sub-?intervals?)"

SLOTS: tuple[Slot, ...] = (
    Slot("slices", ("",), rf"(?:number of )?(?:[a-z]+[- ]){{0,2}}{_PIECES}(?! of (?:length|width|duration|\d))|"
    rf"pixels", (
        "Nts", "Nslots", "N", "M", "nts", "nsteps", "nslots", "Nsteps"
    )),
    Slot("length", ("time", ""), (
        rf"{_PIECES} of(?: (?:length|width|duration))?\s*$|of length|new value(?: of each amplitude)? every|"
        rf"every|each lasting|"
        r"slice (?:length|width)|time step"
    ), ("dt", "Deltat")),
    Slot("bound", ("", "rate", "angular", "frequency"), (
        r"amplitudes?|bound(?:ed|s)?(?: on \w+ \w+)?|limit\w*|magnitude|plus/minus|\+/?-|\|\s*u\w*(?:\(t\))?\s*\||"
        r"absolute value|controls? in|"
        r"strength"
    ), ("umax", "u_max", "amax", "Omegamax")),
    Slot("duration", ("time", ""), (
        r"durations?|(?:gate|pulse|evolution|total|transfer|final)[- ]times?|pulse length|takes?|lasts?|within|"
        r"long|in a time(?: of)?|pulses? of|"
        r"time units?|units of time|time|T"
    ), ("T", "ttotal", "tf", "tg", "Tgate", "Ttotal", "tgate", "tmax")),
    Slot("fidelity", ("", "fraction"), r"(?:gate |state |transfer )?fidelit(?:y|ies)|F", ("F", "Fmin", "Ftarget")),
    Slot("infidelity", ("", "fraction"), r"infidelit(?:y|ies)|error", ()),
    Slot("seed", ("",), r"seeds?", ("seed",)),
    Slot("iterations", ("",), r"iterations", ("iterations", "maxiter")),
    Slot("weight", ("",), r"(?:penalty )?weights?|penalty", ("w", "alpha", "mu")),
)  # fmt: skip
