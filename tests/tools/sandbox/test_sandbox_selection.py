"""Which level is chosen, how loudly a weaker one is reported, and what is refused."""

from __future__ import annotations

import pytest

from labwright.tools.errors import InputError, SandboxUnavailableError
from labwright.tools.sandbox import canary, open_sandbox, sandbox_selection
from labwright.tools.sandbox.base import Level
from labwright.tools.sandbox.confined import ConfinedSandbox


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which nothing but rlimits holds."""
    made: dict[Level, ConfinedSandbox | str] = {
        "bubblewrap": "bubblewrap is not installed.",
        "namespaces": "unshare: Operation not permitted",
        "landlock": "the canary got through: read a secret.",
        "rlimits": ConfinedSandbox("rlimits"),
    }
    monkeypatch.setattr(sandbox_selection, "_proven", {})
    monkeypatch.setattr(sandbox_selection, "_logged", set())
    monkeypatch.setattr(sandbox_selection, "_prove", made.__getitem__)
    monkeypatch.delenv(sandbox_selection.FORCE, raising=False)


@pytest.mark.parametrize("level", ["bubblewrap", "namespaces", "landlock"])
def test_a_level_can_be_forced(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    if isinstance(sandbox_selection.proven(level), str):
        pytest.skip(f"this machine cannot do {level}")
    monkeypatch.setenv(sandbox_selection.FORCE, level)
    assert open_sandbox().level == level


def test_a_forced_level_that_does_not_hold_is_refused(broken: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sandbox_selection.FORCE, "namespaces")
    with pytest.raises(SandboxUnavailableError, match="unshare"):
        open_sandbox()


def test_forcing_what_is_too_weak_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sandbox_selection.FORCE, "rlimits")
    with pytest.raises(SandboxUnavailableError, match="weaker than landlock"):
        open_sandbox()


def test_forcing_what_is_no_level_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sandbox_selection.FORCE, "docker")
    with pytest.raises(InputError, match="must be one of"):
        open_sandbox()


def test_nothing_that_holds_is_a_refusal_that_says_how_to_mend_it(broken: None) -> None:
    with pytest.raises(SandboxUnavailableError, match="apt install bubblewrap") as refusal:
        open_sandbox()
    assert "landlock: the canary got through: read a secret." in str(refusal.value)


def test_every_step_down_is_reported_and_logged_once(broken: None, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[str] = []
    assert open_sandbox(weakest="rlimits", report=heard.append).level == "rlimits"
    assert len(heard) == 3
    assert not caplog.records  # whoever hears it says it
    open_sandbox(weakest="rlimits")
    open_sandbox(weakest="rlimits")
    assert [record.getMessage() for record in caplog.records] == heard


def test_the_canary_sings_where_nothing_confines() -> None:
    """Without walls the canary gets through, so its silence elsewhere means something; no wall has this name."""
    sandbox = ConfinedSandbox("rlimits")
    sandbox._level = "landlock-that-is-none"  # type: ignore[assignment]
    through = canary.escapes(sandbox)
    assert "write outside" in through


def test_the_weakest_level_holds_its_limits() -> None:
    assert isinstance(sandbox_selection.proven("rlimits"), ConfinedSandbox)
