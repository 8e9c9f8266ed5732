"""Named persons: who may accept a finding that needs a person, and proof that they did.

A lab keeps its persons in one file outside of the runs, each with a key made from their passphrase (scrypt). A sign-off
lies in the run's folder and carries an HMAC of the run, the findings, the name and the time under that key: a text, a
model or another program cannot make one, and it holds for no other run and no other findings. Whoever can read the
file can forge sign-offs, so it is readable by its owner only.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labwright.tools.atomic_files import PRIVATE, write_atomic
from labwright.tools.errors import InputError

SIGN_OFF, FINDINGS = "sign_off.json", "safety.json"  # in the run's folder
NOBODY = frozenset({"me", "default", "root", "admin", "anonymous", "labwright"})  # names that say nothing of who it was
SHORTEST = 8  # characters of a passphrase
_NAME = re.compile(r"[\w.@-]{2,64}")
_COST = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}  # 16 MB and about 50 ms a try


@dataclass(frozen=True, slots=True)
class SignOff:
    """What a named person accepted. `findings` is a digest; `time` in UTC, ISO 8601."""

    name: str
    run_id: str
    findings: str
    time: str
    proof: str = ""


def digest(findings: list[str]) -> str:
    """What stands for the findings in a sign-off."""
    return hashlib.sha256(json.dumps(findings).encode()).hexdigest()


def names(people: Path) -> list[str]:
    """Who is known, in order of the alphabet."""
    return sorted(_read(people))


def add(people: Path, name: str, passphrase: str) -> None:
    """Put a person into the file, or give them another passphrase.

    Raises:
        InputError: the name is none of a person, or the passphrase is too short.
    """
    if not _NAME.fullmatch(name) or name.casefold() in NOBODY:
        raise InputError(f"{name!r} does not name a person. Give 2 to 64 letters, digits, `.`, `@` or `-`, not `me`.")
    if len(passphrase) < SHORTEST:
        raise InputError(f"The passphrase must have at least {SHORTEST} characters.")
    salt = secrets.token_bytes(16)
    kept = {**_read(people), name: {"salt": salt.hex(), "key": _key(passphrase, salt).hex()}}
    _write(people, kept)


def remove(people: Path, name: str) -> None:
    """Take a person out of the file; what they signed counts no more.

    Raises:
        InputError: there is no such person.
    """
    kept = _read(people)
    if kept.pop(name, None) is None:
        raise InputError(f"There is no person {name!r}. There are: {', '.join(sorted(kept)) or 'none'}.")
    _write(people, kept)


def sign(people: Path, run_dir: Path, findings: str, name: str, passphrase: str) -> SignOff:
    """Write the sign-off of `findings` into the run's folder.

    Raises:
        InputError: there is no such person, or it is not their passphrase; it does not say which.
    """
    known = _read(people).get(name) or {"salt": "00" * 16, "key": ""}
    key = _key(passphrase, bytes.fromhex(known["salt"]))
    if not hmac.compare_digest(key.hex(), known["key"]):
        hint = "" if _read(people) else " No person is known here yet: `labwright person add NAME`."
        raise InputError(f"This name and passphrase do not belong together.{hint}")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    made = SignOff(name, run_dir.name, findings, now)
    made = SignOff(name, run_dir.name, findings, now, _proof(key, made))
    write_atomic(run_dir / SIGN_OFF, json.dumps(asdict(made), indent=1).encode())
    return made


def signed(people: Path, run_dir: Path, findings: str) -> SignOff | None:
    """The sign-off of exactly these findings of this run by a person who is known; None if there is none."""
    path = run_dir / SIGN_OFF
    try:
        found = SignOff(**json.loads(path.read_text(encoding="utf-8")))
        key = bytes.fromhex(_read(people)[found.name]["key"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
    fits = found.run_id == run_dir.name and found.findings == findings
    return found if fits and hmac.compare_digest(_proof(key, found), found.proof) else None


def _proof(key: bytes, of: SignOff) -> str:
    said = json.dumps([of.name, of.run_id, of.findings, of.time])
    return hmac.new(key, said.encode(), hashlib.sha256).hexdigest()


def _key(passphrase: str, salt: bytes) -> bytes:
    return hashlib.scrypt(passphrase.encode(), salt=salt, **_COST)


def _read(people: Path) -> dict[str, Any]:
    if not people.exists():
        return {}
    try:
        return dict(json.loads(people.read_text(encoding="utf-8")))
    except (OSError, ValueError) as wrong:
        raise InputError(
            f"The file of persons {people} does not read ({wrong}). Restore it, or set it aside."
        ) from wrong


def _write(people: Path, kept: dict[str, Any]) -> None:
    people.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(people, json.dumps(kept, indent=1).encode(), mode=PRIVATE)
