"""From settings to clients."""

from __future__ import annotations

from pathlib import Path

import pytest

from labwright.agents.backend_selection import make_mind, open_chat
from labwright.agents.errors import ModelUnavailable
from labwright.agents.model_backend import ModelMind
from labwright.agents.settings import Settings


def test_nothing_set_means_the_rules_and_no_figures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LABWRIGHT_MODEL", raising=False)
    mind = make_mind()
    assert (mind.name, mind.sees_images) == ("rules", False)


def test_the_environment_and_the_file_set_models_per_tier(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABWRIGHT_MODEL_LIGHT", "openai:small")
    monkeypatch.setenv("LABWRIGHT_PRICES", '{"small": {"input": 1, "output": 4}}')
    (tmp_path / ".env").write_text("LABWRIGHT_BASE_URL=http://127.0.0.1:9/v1\nLABWRIGHT_API_KEY=secret\n")
    settings = Settings()
    mind = make_mind("openai:large", settings)
    assert isinstance(mind, ModelMind)
    assert {tier: chat.name for tier, chat in mind.chats.items()} == {
        "reasoning": "openai:large",
        "general": "openai:large",
        "light": "openai:small",
    }
    assert mind.chats["light"].address == "http://127.0.0.1:9/v1"
    assert settings.prices["small"].output == 4
    assert "secret" not in repr(settings)


def test_a_missing_key_and_an_unknown_provider_say_what_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelUnavailable, match="LABWRIGHT_API_KEY"):
        open_chat("openai:any", Settings(_env_file=None))
    with pytest.raises(ModelUnavailable, match="nobody"):
        open_chat("nobody:any", Settings(_env_file=None))


@pytest.mark.slow
def test_other_providers_start_with_a_tool_call() -> None:
    pytest.importorskip("langchain_anthropic")
    assert open_chat("anthropic:any", Settings(_env_file=None, api_key="x")).method == "tools"
