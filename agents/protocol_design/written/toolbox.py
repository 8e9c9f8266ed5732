"""The chemistry tools that an agent may ask for in its reply, and what they answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.tools.chemistry.calculations import (
    amounts_of_pair,
    concentration_of_percent_solution,
    stock_volume,
    volume_of_mass,
    volume_of_moles,
)
from labwright.tools.chemistry.quantities import canonical_unit, convert, parse_quantity
from labwright.tools.errors import InputError

AMOUNT = "A number and its unit, such as '20 mg', '0.5 M' or '1 mL'."
MOST_REQUESTS = 200  # in one reply


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class VolumeOfMass(_Request):
    """The volume of a mass of a pure liquid."""

    tool: Literal["volume_of_mass"]
    chemical: str
    mass: str = Field(description=AMOUNT)


class VolumeOfMoles(_Request):
    """The volume of an amount of a pure liquid."""

    tool: Literal["volume_of_moles"]
    chemical: str
    moles: str = Field(description=AMOUNT)


class ConcentrationOfPercent(_Request):
    """The molarity of a percentage solution."""

    tool: Literal["concentration_of_percent_solution"]
    solute: str = Field(description="The pure solute's name, without the percentage.")
    percent: float
    basis: Literal["w/w", "w/v", "v/v"]
    density: str | None = Field(description="Of the solution, such as '0.90 g/mL'; null to look it up.")


class AmountsOfPair(_Request):
    """What two chemicals come to whose total molarity and molar ratio are given."""

    tool: Literal["amounts_of_pair"]
    first: str
    second: str
    total: str = Field(description="Molarity of both together. " + AMOUNT)
    ratio: float = Field(description="Moles of `first` to one mole of `second`.")
    volume: str = Field(description="Of the finished mixture. " + AMOUNT)


class StockVolume(_Request):
    """How much of a stock brings a mixture to a concentration."""

    tool: Literal["stock_volume"]
    stock: str = Field(description="Its concentration. " + AMOUNT)
    wanted: str = Field(description="In the mixture, in the same unit. " + AMOUNT)
    volume: str = Field(description="Of the finished mixture. " + AMOUNT)


Request = VolumeOfMass | VolumeOfMoles | ConcentrationOfPercent | AmountsOfPair | StockVolume
OFFERED = [
    "volume_of_mass: the volume of a mass of a pure liquid",
    "volume_of_moles: the volume of an amount of a pure liquid",
    "concentration_of_percent_solution: the molarity of a solution of so many per cent",
    "amounts_of_pair: masses or volumes of two chemicals of given total molarity, molar ratio and volume",
    "stock_volume: the volume of a stock that brings a mixture to a concentration",
]


class Result(BaseModel):
    """What a tool answered."""

    asked: str = Field(description="The request.")
    answer: str = Field(description="The result, or why there is none.")


def use(request: Request) -> Result:
    """One request done; what cannot be done is answered with the reason, for the agent to mend."""
    plain = request.model_dump()
    asked = f"{plain.pop('tool')}({', '.join(f'{name}={value}' for name, value in plain.items())})"
    try:
        return Result(asked=asked, answer=_DO[request.tool](request))
    except InputError as wrong:
        return Result(asked=asked, answer=f"error: {wrong}")


def check_requests(offered: list[str], requests: list[Request]) -> list[str]:
    """What is wrong with asking for these tools."""
    if requests and not offered:
        return ["No tools are offered here. Leave `requests` empty and compute yourself."]
    if len(requests) > MOST_REQUESTS:
        return [f"{len(requests)} requests in one reply; at most {MOST_REQUESTS} are done."]
    return []


def _to(text: str, unit: str) -> float:
    return parse_quantity(text).to(unit)


def _mass(request: Any) -> str:
    return f"{volume_of_mass(request.chemical, _to(request.mass, 'mg')):.5g} uL"


def _moles(request: Any) -> str:
    return f"{volume_of_moles(request.chemical, _to(request.moles, 'mmol')):.5g} uL"


def _percent(request: Any) -> str:
    density = _to(request.density, "g/mL") if request.density else None
    return f"{concentration_of_percent_solution(request.solute, request.percent, request.basis, density):.5g} M"


def _pair(request: Any) -> str:
    found = amounts_of_pair(
        request.first, request.second, _to(request.total, "M"), request.ratio, _to(request.volume, "uL")
    )
    return ", ".join(f"{name} {amount:.5g} {unit}" for name, (amount, unit) in found.items())


def _stock(request: Any) -> str:
    stock, wanted = parse_quantity(request.stock), parse_quantity(request.wanted)
    same = convert(wanted.value, wanted.unit, canonical_unit(stock.unit))
    return f"{stock_volume(stock.value, same, _to(request.volume, 'uL')):.5g} uL"


_DO: dict[str, Callable[[Any], str]] = {
    "volume_of_mass": _mass,
    "volume_of_moles": _moles,
    "concentration_of_percent_solution": _percent,
    "amounts_of_pair": _pair,
    "stock_volume": _stock,
}
