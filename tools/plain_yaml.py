"""YAML as plain values, read by libyaml where PyYAML has it: some eight times as quick."""

from __future__ import annotations

from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str) -> Any:
    """The plain values that a YAML text holds.

    Raises:
        yaml.YAMLError: it is not YAML, or holds other types.
    """
    return yaml.load(text, Loader=_LOADER)
