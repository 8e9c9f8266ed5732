"""A chat model whose every request passes a keeper: one that records the exchange, or one that answers from a record.

This is the one place that all requests pass, those of the typed calls and those of the loops of tools: below it is the
provider's client. What the client tries again by itself is not seen, as it is not by the meter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import ConfigDict

from labwright.agents.errors import ModelUnavailable
from labwright.agents.recordings.exchange import Json, form_of, request_of, tool_form


class Keeper(Protocol):
    """What stands between a model and whoever asks it."""

    def exchange(self, model: str, request: Json, ask: Callable[[], ChatResult]) -> ChatResult:
        """The reply of `model` to `request`; `ask` sends it."""
        ...


class KeptModel(BaseChatModel):
    """The model behind its keeper. Replies come whole: their tokens do not stream.

    Attributes:
        keeper: gets every request.
        name_of_model: as in settings, such as ``openai:gpt-4.1-mini``.
        inner: the provider's client; None where the keeper answers by itself.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    keeper: Any  # a `Keeper`; pydantic cannot check a protocol
    name_of_model: str
    inner: BaseChatModel | None = None

    @property
    def _llm_type(self) -> str:
        return "kept"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.name_of_model}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[Any, AIMessage]:
        """The tools in the form of the inner model's provider, and beside them in one that knows no provider."""
        bound = self.inner.bind_tools(tools, tool_choice=tool_choice, **kwargs) if self.inner else None
        return self.bind(**getattr(bound, "kwargs", {}), form=tool_form(tools, tool_choice))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        form = kwargs.pop("form", None) or form_of(kwargs)
        about = run_manager.metadata if run_manager else {}
        keeper: Keeper = self.keeper

        def ask() -> ChatResult:
            if self.inner is None:
                raise ModelUnavailable(f"There is no client for {self.name_of_model}: it is played from a recording.")
            return self.inner._generate(messages, stop, run_manager, **kwargs)

        return keeper.exchange(self.name_of_model, request_of(about, messages, form), ask)
