"""Settings from the environment (``LABWRIGHT_*``) and a ``.env`` file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic_settings import BaseSettings, DotEnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from labwright.agents.typed_call import Tier
from labwright.tools.runs.seals import beside_runs, state_folder


class Price(BaseModel):
    """Price of one model per million tokens, in any one currency."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    input: float = Field(ge=0)
    output: float = Field(ge=0)


class Settings(BaseSettings):
    """Everything a person may set from outside; every field is ``LABWRIGHT_<NAME>``.

    A model is written ``rules`` (no model, the built-in policies) or ``provider:name``, such as
    ``openai:gpt-4.1-mini``. With ``openai`` and `base_url`, any server that speaks the same protocol will do.
    """

    model_config = SettingsConfigDict(env_prefix="LABWRIGHT_", env_file=".env", extra="ignore", frozen=True)

    model: str = Field(default="rules", description="The mind for every tier that has no model of its own.")
    model_reasoning: str | None = Field(default=None, description="Model for long reasoning.")
    model_general: str | None = Field(default=None, description="Model for ordinary calls.")
    model_light: str | None = Field(default=None, description="Model for short, cheap calls.")
    model_vision: str | None = Field(default=None, description="Model for figures; unset: they are not sent.")
    base_url: str | None = Field(default=None, description="Address of an OpenAI-compatible server, ending in /v1.")
    api_key: SecretStr | None = Field(default=None, description="Key; unset: the provider's own variable.")
    structured: Literal["auto", "json_schema", "tools", "text"] = Field(
        default="auto", description="How replies are held to a schema; auto tries them in this order."
    )
    timeout: float = Field(
        default=300.0, gt=0, description="Seconds to wait for one reply; a local model may need them."
    )
    retries: int = Field(default=2, ge=0, description="Retries after 429, 5xx, timeouts and lost connections.")
    repairs: int = Field(default=2, ge=0, description="How often an invalid answer goes back to the model.")
    concurrency: int = Field(default=4, ge=1, description="Calls under way at once.")
    temperature: float | None = Field(default=None, ge=0, description="Temperature; unset: the provider's own.")
    max_tokens: int | None = Field(default=None, ge=1, description="Longest reply; unset: the provider's own.")
    prices: dict[str, Price] = Field(
        default_factory=dict, description='JSON, per million tokens: {"model": {"input": 1.0, "output": 4.0}}.'
    )
    budget: str = Field(default="", description="Such as tokens=20000,calls=50,seconds=600,money=2.")
    answered_by: str = Field(default="", description="Who answers in place of the model, for recordings.")
    cache: bool = Field(default=True, description="Whether answers of models are kept on disk.")
    database_url: SecretStr | None = Field(
        default=None, description="PostgreSQL of several workers, postgresql://...; unset: each run's own files."
    )
    mcp_token: SecretStr | None = Field(
        default=None, description="Token that clients of MCP over HTTP send; unset: a new one, printed at the start."
    )
    chroma_url: str = Field(default="", description="Chroma server for the papers; unset: files of this machine.")
    embedding: str = Field(
        default="", description="LangChain embeddings of the papers, package.module:factory; unset: hashed words."
    )
    limits: str = Field(default="", description="Files of limits, with colons between; all hold. See docs/security.md.")
    inventory: str = Field(default="", description="The laboratory's list of substances, a CSV file.")
    opentrons: str = Field(default="", description="Program opentrons_simulate of an environment of its own.")
    runs: Path = Field(default=Path("runs"), description="Folder of the runs.")
    people: Path = Field(
        default_factory=lambda: beside_runs() / "people.json",
        description="File of the persons who may sign; unset: .labwright/people.json beside the runs folder.",
    )
    state: Path = Field(
        default_factory=state_folder,
        description="Folder of the lab's key, caches and stores; unset: .labwright beside the runs folder.",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is given, the environment and ``.env``; a file that is not there is not looked at for every field."""
        found = isinstance(dotenv_settings, DotEnvSettingsSource) and dotenv_settings.env_vars
        return (init_settings, env_settings, dotenv_settings) if found else (init_settings, env_settings)

    @property
    def shared_database(self) -> str:
        """Where workers share checkpoints, leases and the queue; empty if they do not."""
        return self.database_url.get_secret_value() if self.database_url else ""

    def model_for(self, tier: Tier, default: str | None = None) -> str | None:
        """The model of `tier`; for ``vision`` None if it is not set, else the default mind's."""
        own: str | None = getattr(self, f"model_{tier}")
        return own if own or tier == "vision" else default or self.model
