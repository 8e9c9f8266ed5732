"""The agent at the front desk: a message in its frame, typed actions out. Facts are checked, wording never."""

from __future__ import annotations

from typing import Any

from labwright.agents.front_desk.actions import Again, Decided, Reply, RunFile, Show, Start, Steer
from labwright.agents.front_desk.conversation_view import CUT, Frame
from labwright.agents.typed_call import AgentCall, without_words
from labwright.tools.errors import InputError
from labwright.tools.specifications.kinds import changed, typed
from labwright.tools.specifications.patches import read_patches
from labwright.tools.specifications.sequence import references
from labwright.tools.specifications.yaml_files import read_document

RUN = "run:"  # before the id of a run; what follows `#` is a path into its result
ABOVE = f"{RUN}above"


def check_actions(frame: Frame, answer: Decided) -> list[str]:
    """What does not exist: runs, paths, a question to answer."""
    return [problem for action in answer.actions for problem in _wrong(frame, action)]


def _wrong(frame: Frame, action: object) -> list[str]:
    if isinstance(action, Reply):
        return _unfit(frame, action)
    if isinstance(action, Again):
        return [*_unknown(frame, [action.run]), *_unread(frame, action)]
    if isinstance(action, RunFile):
        return _unfit_uses(frame, action.uses)
    if isinstance(action, Start):
        empty = not (action.text.strip() or action.file or action.uses)
        found = ["Neither `text`, `file` nor `uses` says what is to be done."] if empty else []
        return [*found, *_unfit_uses(frame, [use for use in action.uses if not (action.after and ABOVE in use)])]
    return _unknown(frame, action.runs) if isinstance(action, Steer | Show) else []


def _unfit_uses(frame: Frame, uses: list[str]) -> list[str]:
    strange = [f"`uses` holds {use!r}; write run:ID or run:ID#PATH." for use in uses if not use.startswith(RUN)]
    return [*strange, *_unknown(frame, [use.removeprefix(RUN).partition("#")[0] for use in uses])]


def _unknown(frame: Frame, names: list[str]) -> list[str]:
    known = {run.run_id for run in frame.runs}
    return [f"There is no run {name!r} in the list." for name in names if name not in known]


def _unread(frame: Frame, action: Again) -> list[str]:
    """Changes that are no PATH = VALUE, or lead nowhere in the run's specification where that is shown."""
    if not action.changes:
        return []
    patches = read_patches("\n".join(action.changes))
    if patches is None:
        return ["`changes` must be lines PATH = VALUE; say in `words` what cannot be written so."]
    shown = next((run.specification for run in frame.runs if run.run_id == action.run), "")
    try:
        if shown and not shown.endswith(CUT):
            _typed(read_document(shown).data, patches)
    except InputError as wrong:
        return [f"{wrong} Work of another kind than that run's is `start`, in all the words of the wish."]
    return []


def _typed(data: dict[str, Any], patches: list[tuple[Any, Any]]) -> None:
    """Notice that a specification is none any more once it is changed; a value of a result is not known yet."""
    whole = changed(data, patches)
    if not any(references([value for _, value in patches], [])):
        typed(data)
        typed(whole)


def _unfit(frame: Frame, action: Reply) -> list[str]:
    asked = [each for each in frame.asking if action.run in ("", each.run_id)]
    if not asked:
        return [f"Run {action.run!r} asks nothing." if action.run else "No question is open: nothing can be answered."]
    values = [option.partition(": ")[0] for option in asked[0].options]
    if action.option and action.option not in values:
        return [f"Option {action.option!r} is not offered. There are: {', '.join(values) or 'none'}."]
    return []


DECIDE = AgentCall("front_desk.decide", "front_desk/decide.md", Frame, Decided, without_words, check_actions, "general")
