"""Keys and passwords that this process knows. None of them is kept with a run, though a person paste one by mistake."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from labwright.agents.settings import Settings

NAMES = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(?:_|$)")  # of environment variables
LONG_ENOUGH = 8  # characters; a shorter value would be found in ordinary words
HIDDEN = "«key»"


def keys_of(settings: Settings) -> list[str]:
    """Values of the secret settings, and of environment variables that are named like one."""
    secret = [settings.api_key, settings.database_url, settings.mcp_token]
    found = [one.get_secret_value() for one in secret if one is not None]
    found += [text for name, text in os.environ.items() if NAMES.search(name)]
    return [one for one in found if len(one) >= LONG_ENOUGH]


def without_keys(text: str) -> str:
    """`text` with `HIDDEN` in place of every key, the longest first."""
    for key in sorted(keys_of(Settings()), key=len, reverse=True):
        text = text.replace(key, HIDDEN)
    return text


def each_text(change: Callable[[str], str], value: Any) -> Any:
    """A JSON value with every text in it changed, keys of mappings apart."""
    if isinstance(value, dict):
        return {key: each_text(change, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [each_text(change, item) for item in value]
    return change(value) if isinstance(value, str) else value


def keep_out_of_traces() -> None:
    """Let LangSmith's client hide keys in all that it sends. It must be called before anything is traced."""
    from langsmith.run_trees import get_cached_client  # which a process that traces nothing need not load
    from langsmith.utils import tracing_is_enabled

    if tracing_is_enabled():
        get_cached_client(anonymizer=partial(each_text, without_keys))
