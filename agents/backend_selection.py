"""From settings to a mind: which model answers which tier, and how its client is built."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any, get_args

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from labwright.agents.answer_cache import AnswerCache
from labwright.agents.errors import ModelUnavailable
from labwright.agents.meter import Budget, Meter, Usage
from labwright.agents.model_backend import ModelMind
from labwright.agents.recordings.record_replay_chat_model import KeptModel
from labwright.agents.recordings.record_replay_model_spec import Source
from labwright.agents.recordings.recorder import Recorder
from labwright.agents.recordings.replay import Replay, open_replay
from labwright.agents.rules_backend import RulesMind
from labwright.agents.settings import Settings
from labwright.agents.structured_output_chat import Chat, Method, explain
from labwright.agents.typed_call import Tier
from labwright.agents.workspace_task import WorkspaceMind


def make_mind(spec: str | None = None, settings: Settings | None = None, meter: Meter | None = None) -> WorkspaceMind:
    """The mind that `spec` names: ``rules``, or ``provider:name`` such as ``openai:gpt-4.1-mini``.

    ``record:DIR,provider:name`` keeps every exchange with that model in DIR, and ``replay:DIR`` answers from there
    under the settings of the recording. Both go without the cache: an answer from it is no exchange.

    Args:
        spec: default for every tier without a model of its own in the settings; unset: ``settings.model``.
        meter: unset: a new one with the settings' budget.

    Raises:
        ModelUnavailable: the spec cannot be read, the provider's package or key is missing, or DIR holds no recording.
    """
    settings = settings or Settings()
    meter = meter or Meter(Budget.parse(settings.budget))
    source = Source.of(spec or settings.model)
    if source.model == "rules":
        return RulesMind(meter)
    keeper: Recorder | Replay | None = None
    if source.kind == "replay":
        keeper = open_replay(source.folder.absolute())
        source, settings = replace(source, model=keeper.manifest.model), keeper.manifest.settings(settings)
    elif source.kind == "record":
        keeper = Recorder(source.folder, source.model, settings, partial(price, settings))
    return ModelMind(
        name=source.model,
        chats=_chats(source.model, settings, keeper),
        meter=meter,
        cache=AnswerCache(settings.state / "cache") if settings.cache and keeper is None else None,
        repairs=settings.repairs,
        concurrency=settings.concurrency,
        pricing=lambda model, usage: price(settings, model, usage),
        parameters={"temperature": settings.temperature, "max_tokens": settings.max_tokens},
        state=settings.state,
    )


def _chats(spec: str, settings: Settings, keeper: Recorder | Replay | None) -> dict[Tier, Chat]:
    made: dict[str, Chat] = {}
    chats: dict[Tier, Chat] = {}
    for tier in get_args(Tier):
        name = settings.model_for(tier, spec)
        if name is not None and name not in made:
            made[name] = open_chat(name, settings, keeper)
        if name is not None:
            chats[tier] = made[name]
    return chats


def open_chat(spec: str, settings: Settings, keeper: Recorder | Replay | None = None) -> Chat:
    """A client for the model that `spec` names, behind `keeper` if there is one. Does not connect.

    Raises:
        ModelUnavailable: the spec cannot be read, or the provider's package or key is missing.
    """
    provider, _, name = spec.partition(":")
    if not provider or not name:
        raise ModelUnavailable(f"Model {spec!r} must be `rules` or `provider:name`, such as openai:gpt-4.1-mini.")
    address = settings.base_url or "default"
    method: Method = "json_schema" if provider == "openai" else "tools"
    if settings.structured != "auto":
        method = settings.structured
    if isinstance(keeper, Replay):
        return Chat(
            KeptModel(keeper=keeper, name_of_model=spec), spec, "the recording", method, settings.structured == "auto"
        )
    model = _openai(name, settings) if provider == "openai" else _other(provider, name, settings)
    if keeper is not None:
        model = KeptModel(keeper=keeper, name_of_model=spec, inner=model)
    return Chat(model, spec, address, method, climb=settings.structured == "auto")


def _openai(name: str, settings: Settings) -> BaseChatModel:
    from langchain_openai import ChatOpenAI  # a second to import: only where a model is used
    from openai import DefaultHttpxClient, OpenAIError

    from labwright.agents.http_response_limits import bounded

    key = settings.api_key or (SecretStr("none") if settings.base_url else None)  # local servers want no key
    try:
        return ChatOpenAI(
            model=name,
            base_url=settings.base_url,
            api_key=key,
            timeout=settings.timeout,
            max_retries=settings.retries,
            temperature=settings.temperature,
            max_completion_tokens=settings.max_tokens,
            http_client=DefaultHttpxClient(event_hooks={"response": [bounded(settings.timeout)]}),
            stream_usage=True,  # else a streamed reply has no usage
            use_responses_api=False,  # the newer protocol is not spoken by compatible servers
        )
    except OpenAIError as error:
        raise ModelUnavailable(f"No key for {name}. Set LABWRIGHT_API_KEY, or LABWRIGHT_BASE_URL: {error}") from error


def _other(provider: str, name: str, settings: Settings) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    given: dict[str, Any] = {
        "base_url": settings.base_url,
        "api_key": settings.api_key.get_secret_value() if settings.api_key else None,
        "temperature": settings.temperature,
        "max_tokens": settings.max_tokens,
    }
    try:
        return init_chat_model(  # type: ignore[no-any-return]
            name,
            model_provider=provider,
            timeout=settings.timeout,
            max_retries=settings.retries,
            **{key: value for key, value in given.items() if value is not None},
        )
    except ImportError as error:
        raise ModelUnavailable(f"Provider {provider!r} needs a package that is not installed: {error}") from error
    except (ValueError, TypeError) as error:
        raise ModelUnavailable(f"Model {provider}:{name} cannot be opened: {error}") from error


def price(settings: Settings, model: str, usage: Usage) -> float | None:
    """Cost of `usage`, looked up by ``provider:name`` and then by ``name``; None where price or usage is unknown."""
    rate = settings.prices.get(model) or settings.prices.get(model.partition(":")[2])
    if rate is None or usage.unknown:
        return None
    return (usage.input_tokens * rate.input + usage.output_tokens * rate.output) / 1e6


def ping(spec: str, settings: Settings) -> float:
    """Ask a model for one word; returns the seconds it took.

    Raises:
        ModelUnavailable: it does not answer; says whether address, key or name is wrong.
    """
    chat = open_chat(Source.of(spec).model, settings)
    began = time.perf_counter()
    try:
        chat.model.invoke("Reply with the word ok.")
    except Exception as error:
        raise ModelUnavailable(explain(error, chat.name, chat.address)) from error
    return time.perf_counter() - began
