"""The mender: changes code by what the checks found, as little as possible."""

from __future__ import annotations

from pydantic import BaseModel, Field

from labwright.agents.feature_map_search.ideas import CodeFinding, CodeOut, Wanted
from labwright.agents.feature_map_search.write_code import code_faults
from labwright.agents.typed_call import AgentCall, without_words


class MendIn(BaseModel):
    """Code with its faults."""

    idea: Wanted
    code: str
    findings: list[CodeFinding]
    references: list[str] = Field(description="Signatures of the operations concerned, as installed.")


def check_mend(given: MendIn, answer: CodeOut) -> list[str]:
    """A module of a feature map that is not the same as before."""
    found = code_faults(answer)
    if answer.code.strip() == given.code.strip():
        found.append("The code is unchanged. Mend what the findings say, or refuse.")
    return found


MEND_CODE = AgentCall(
    "feature_map_search.mend_code",
    "feature_map_search/mend_code.md",
    MendIn,
    CodeOut,
    without_words,
    check_mend,
    "general",
)
