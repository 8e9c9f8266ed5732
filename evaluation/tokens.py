"""How many input tokens a request costs, counted from its own bytes.

The tokenizer is `o200k_base` where its table lies in ``TIKTOKEN_CACHE_DIR``; nothing is downloaded. Without it the text
is cut by the pattern with which `o200k_base` begins (every piece costs a token or more), and a text costs the larger of
the number of pieces and a quarter of its bytes. Counts name the way in which they were made.

Pictures cost what OpenAI documents for high detail: fitted into 2048 x 2048, then to 768 on the shorter side, where
they are larger; 85 tokens, and 170 for every tile of 512 x 512.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from math import ceil
from pathlib import Path
from typing import Any

import regex  # type: ignore[import-untyped]
from PIL import Image

ENCODING, TABLE = "o200k_base", "fb374d419588a4632f3f557e76b4b70aebbca790"  # the table's name in tiktoken's cache
PIECES = "o200k_base pieces, at least bytes/4"
# The splitting pattern of o200k_base, from tiktoken (MIT licence).
PATTERN = regex.compile(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PER_MESSAGE, PER_REQUEST = 3, 3  # role and separators; the reply's beginning (OpenAI's cookbook)
LARGEST, SHORT_SIDE, TILE = 2048, 768, 512
PER_IMAGE, PER_TILE = 85, 170


@dataclass(slots=True)
class Counted:
    """Input tokens of some requests: instructions and data, the schema of the reply, and pictures."""

    requests: int = 0
    text: int = 0
    schema: int = 0
    images: int = 0
    image_tokens: int = 0

    @property
    def total(self) -> int:
        """All input tokens."""
        return self.text + self.schema + self.image_tokens

    def add(self, other: Counted) -> None:
        """Add `other`."""
        for name in ("requests", "text", "schema", "images", "image_tokens"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def tokenizer() -> str:
    """The name of what `text_tokens` counts with."""
    return PIECES if _encoding() is None else ENCODING


def text_tokens(text: str) -> int:
    """Tokens of a piece of text."""
    encoding = _encoding()
    if encoding is not None:
        return len(encoding.encode(text, disallowed_special=()))
    return max(len(PATTERN.findall(text)), ceil(len(text.encode()) / 4))


def image_tokens(width: int, height: int) -> int:
    """Tokens of a picture in high detail."""
    shrink = min(1.0, LARGEST / max(width, height))
    shrink *= min(1.0, SHORT_SIDE / (shrink * min(width, height)))
    tiles = ceil(shrink * width / TILE - 1e-9) * ceil(shrink * height / TILE - 1e-9)
    return PER_IMAGE + PER_TILE * tiles


def count_request(body: Mapping[str, Any]) -> Counted:
    """What one chat completion request costs."""
    counted = Counted(requests=1, text=PER_REQUEST)
    for message in body["messages"]:
        counted.text += PER_MESSAGE
        for part in _parts(message):
            if part["type"] == "image_url":
                counted.images += 1
                counted.image_tokens += image_tokens(*_size(part["image_url"]["url"]))
            else:
                counted.text += text_tokens(part["text"])
    for form in ("response_format", "tools"):
        if body.get(form):
            counted.schema += text_tokens(json.dumps(body[form], separators=(",", ":")))
    return counted


def count_prompt(system: str, user: str, schema: Mapping[str, Any], images: Iterable[Path] = ()) -> Counted:
    """What a prompt would cost that is not sent to anyone."""
    counted = Counted(1, 2 * PER_MESSAGE + PER_REQUEST + text_tokens(system) + text_tokens(user))
    counted.schema = text_tokens(json.dumps(schema, separators=(",", ":")))
    for path in images:
        with Image.open(path) as picture:
            counted.images += 1
            counted.image_tokens += image_tokens(*picture.size)
    return counted


def _parts(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content") or ""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    if message.get("tool_calls"):
        parts.append({"type": "text", "text": json.dumps(message["tool_calls"], separators=(",", ":"))})
    return parts


def _size(url: str) -> tuple[int, int]:
    with Image.open(BytesIO(base64.b64decode(url.partition("base64,")[2]))) as picture:
        return picture.size


@cache
def _encoding() -> Any:
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", "")
    if not folder or not (Path(folder) / TABLE).is_file():
        return None  # tiktoken would go and fetch it
    import tiktoken

    return tiktoken.get_encoding(ENCODING)
