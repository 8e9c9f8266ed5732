"""A chat model whose every request is counted and kept within the budget, whoever makes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import BaseChatModel, ModelProfile
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import ConfigDict

from labwright.agents.errors import AgentError, ModelUnavailable
from labwright.agents.model_backend import Asked
from labwright.agents.structured_output_chat import explain, usage_of


class MeteredModel(BaseChatModel):
    """The model of a task, with the task's account between it and whoever calls: the loop, or a summary of it.

    Attributes:
        inner: the model.
        account: the task under way; counts and stops.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    inner: BaseChatModel
    account: Asked

    @property
    def _llm_type(self) -> str:
        return self.inner._llm_type

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.account.chat.name}

    def _resolve_model_profile(self) -> ModelProfile | None:
        return self.inner.profile  # what it takes at most: LangChain's middleware asks the wrapped model

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[Any, AIMessage]:
        """The tools in the form of the inner model's provider, bound to this one."""
        bound = self.inner.bind_tools(tools, tool_choice=tool_choice, **kwargs)
        return self.bind(**getattr(bound, "kwargs", {}))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        with self.account.counted() as cost:
            try:
                made = self.inner._generate(messages, stop, run_manager, **kwargs)
            except (ContextOverflowError, AgentError):
                raise  # the first: the loop shortens its conversation and asks again
            except Exception as error:
                chat = self.account.chat
                raise ModelUnavailable(explain(error, chat.name, chat.address)) from error
            message = made.generations[0].message
            if isinstance(message, AIMessage):
                cost.usage = usage_of(message, messages)
            return made
