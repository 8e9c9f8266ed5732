"""A model at work with tools, through the real client: bounds, repairs, hostile arguments, figures, the shell."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from add_up import Sentence, Sum
from scripted_model import Reply, Request, ScriptedModel
from small_task import FILE, summing, workspace_in

from labwright.agents.backend_selection import make_mind
from labwright.agents.errors import AgentGaveUp, BudgetExceeded, ModelUnavailable
from labwright.agents.meter import Budget, Meter
from labwright.agents.metered_model import MeteredModel
from labwright.agents.model_backend import ModelMind
from labwright.agents.tool_loop import Working
from labwright.agents.typed_call import Refusal, Runtime
from labwright.tools.sandbox import open_sandbox
from labwright.tools.workspace.workspace import Workspace

ASKED = Sentence(sentence="add 1 and 2")
GOOD = Reply.answer({"numbers": [1, 2], "total": 3})
SUM = Sum(numbers=[1, 2], total=3)
WRITE = Reply.use("write_file", path=f"/{FILE}", text="3\n")


def opened(server: ScriptedModel, folder: Path, budget: str = "", **more: object) -> ModelMind:
    mind = make_mind("openai:scripted", server.settings(folder / "state", **more), Meter(Budget.parse(budget)))
    assert isinstance(mind, ModelMind)
    return mind


def agrees(mind: ModelMind, server: ScriptedModel) -> None:
    total = mind.meter.total()
    assert (total.input_tokens, total.output_tokens) == (server.spent.input_tokens, server.spent.output_tokens)
    assert total.calls - total.failures == server.spent.replies


def worked(
    folder: Path, replies: Sequence[Reply] | Callable[[Request], Reply], workspace: Workspace | None = None, **more: Any
) -> tuple[Any, ScriptedModel, ModelMind]:
    with ScriptedModel(replies) as server:
        mind = opened(server, folder)
        reply = mind.work(summing(folder, **more), ASKED, workspace or workspace_in(folder))
        agrees(mind, server)
    return reply, server, mind


def test_a_wrapped_model_says_how_much_it_takes(tmp_path: Path) -> None:
    with ScriptedModel([]) as server:
        mind = opened(server, tmp_path)
    account = Working(mind, summing(tmp_path), ASKED, workspace_in(tmp_path), Runtime())
    inner = mind.chats["general"].model.model_copy(update={"profile": {"max_input_tokens": 128_000}})
    assert MeteredModel(inner=inner, account=account).profile == {"max_input_tokens": 128_000}


def test_tools_are_used_until_the_answer_and_every_request_is_counted(tmp_path: Path) -> None:
    look = Reply.use("read_file", path="/tools/INDEX.md")
    reply, server, mind = worked(tmp_path, [look, WRITE, GOOD])
    assert reply == SUM
    assert "twice a number" in server.requests[1].results[0]
    assert (mind.meter.total().calls, mind.meter.total().answers) == (3, 1)


def test_a_last_word_that_is_no_reply_is_asked_for_in_its_form(tmp_path: Path) -> None:
    reply, server, _ = worked(tmp_path, [WRITE, Reply("Done: the sum is 3."), GOOD])
    assert reply == SUM
    assert server.requests[2].method == "json_schema"
    assert server.requests[2].role == "tests.sum"


@pytest.mark.parametrize("methods", [("tools", "text"), ("text",)])
def test_a_server_without_json_schema_closes_the_next_way(methods: tuple[str, ...], tmp_path: Path) -> None:
    with ScriptedModel([WRITE, Reply("Done."), GOOD], methods=methods) as server:
        assert opened(server, tmp_path).work(summing(tmp_path), ASKED, workspace_in(tmp_path)) == SUM


def test_an_answer_that_the_files_contradict_goes_back_and_the_work_goes_on(tmp_path: Path) -> None:
    reply, server, mind = worked(tmp_path, [GOOD, WRITE, GOOD])
    assert reply == SUM
    assert f"{FILE} must hold the sum" in server.requests[1].complaints[0]
    assert "write_file" in server.requests[1].tools  # it may mend the files, not only the words
    assert (mind.meter.total().answers, mind.meter.total().repairs, mind.meter.total().lost) == (1, 1, 0)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (Reply('{"answer": {"numb', finish="length"), "cut off"),
        (Reply({"answer": None, "question": None, "refusal": None}), "given: none"),
        (Reply.answer({"numbers": [1, 2], "total": "three"}), "`answer.total`"),
        (Reply.answer({"numbers": [1, 2], "total": 99}), "`total` must be 3"),
    ],
)
def test_an_invalid_final_answer_is_repaired(bad: Reply, said: str, tmp_path: Path) -> None:
    reply, server, _ = worked(tmp_path, [WRITE, bad, GOOD])
    assert reply == SUM
    assert said in server.requests[2].complaints[0]


def test_after_the_last_repair_the_work_is_given_up_and_files_stay(tmp_path: Path) -> None:
    workspace = workspace_in(tmp_path)
    script = lambda request: WRITE if not request.results else Reply.answer({"numbers": [1, 2], "total": 4})  # noqa: E731
    with ScriptedModel(script) as server:
        mind = opened(server, tmp_path)
        with pytest.raises(AgentGaveUp, match="in 3 attempts"):
            mind.work(summing(tmp_path), ASKED, workspace)
        agrees(mind, server)
    assert workspace.files.text(FILE) == "3\n"
    assert (mind.meter.total().repairs, mind.meter.total().lost) == (2, 1)


def test_nothing_of_the_work_is_cached(tmp_path: Path) -> None:
    with ScriptedModel(lambda request: GOOD if request.results else WRITE) as server:
        mind = opened(server, tmp_path)
        for _ in range(2):
            assert mind.work(summing(tmp_path), ASKED, workspace_in(tmp_path)) == SUM
    assert len(server.requests) == 4


def test_steps_are_bounded_and_the_reply_is_then_asked_for(tmp_path: Path) -> None:
    endless = Reply.use("list_files")
    answers: Callable[[Request], Reply] = lambda request: endless if request.free else Reply.refuse("not done")  # noqa: E731
    reply, server, _ = worked(tmp_path, answers, steps=4)
    assert reply == Refusal(reason="not done")
    assert [request.free for request in server.requests] == [True] * 4 + [False]
    assert "steps are spent" in server.requests[-1].complaints[-1]


def test_time_is_bounded_and_the_reply_is_then_asked_for(tmp_path: Path) -> None:
    reply, server, _ = worked(tmp_path, [Reply.refuse("no time")], seconds=0.0)
    assert reply == Refusal(reason="no time")
    assert not server.requests[0].free


@pytest.mark.parametrize("budget", ["calls=3", "tokens=1500"])
def test_a_budget_stops_the_loop_and_keeps_what_was_written(budget: str, tmp_path: Path) -> None:
    workspace = workspace_in(tmp_path)
    script = lambda request: Reply.use("list_files") if request.results else WRITE  # noqa: E731
    with ScriptedModel(script) as server:
        mind = opened(server, tmp_path, budget)
        with pytest.raises(BudgetExceeded):
            mind.work(summing(tmp_path, steps=40), ASKED, workspace)
        agrees(mind, server)
    assert workspace.files.text(FILE) == "3\n"
    assert len(server.requests) < 10


@pytest.mark.parametrize(
    ("reply", "said"), [(Reply.error(500), "error 500"), (Reply.error(401, "bad"), "LABWRIGHT_API_KEY")]
)
def test_a_model_that_does_not_answer_is_named(reply: Reply, said: str, tmp_path: Path) -> None:
    with ScriptedModel([WRITE, reply]) as server:
        mind = opened(server, tmp_path)
        with pytest.raises(ModelUnavailable, match=said):
            mind.work(summing(tmp_path), ASKED, workspace_in(tmp_path))
        assert (mind.meter.total().calls, mind.meter.total().failures) == (2, 1)


HOSTILE: dict[str, tuple[str, dict[str, Any]]] = {
    "a path upwards": ("read_file", {"path": "/../../etc/passwd"}),
    "an absolute path": ("read_file", {"path": "/etc/passwd"}),
    "home": ("read_file", {"path": "~/.ssh/id_rsa"}),
    "a link in the workspace": ("read_file", {"path": "/leak/passwd"}),
    "a linked file": ("read_file", {"path": "/secret.txt"}),
    "a listing upwards": ("list_files", {"path": "/.."}),
    "a listing through a link": ("list_files", {"path": "/leak"}),
    "a search upwards": ("grep", {"text": "root", "path": "/../../etc"}),
    "a search through a link": ("grep", {"text": "root", "path": "/leak"}),
    "a glob upwards": ("list_files", {"pattern": "../*", "path": "/"}),
    "writing upwards": ("write_file", {"path": "/out/../../escaped.txt", "text": "x"}),
    "writing into tools": ("write_file", {"path": "/tools/double.py", "text": "x"}),
    "writing a new tool": ("write_file", {"path": "/tools/evil.py", "text": "x"}),
    "writing the task": ("write_file", {"path": "/question.md", "text": "x"}),
    "writing an input": ("edit_file", {"path": "/inputs/data.csv", "edits": [{"old": "1", "new": "9"}]}),
    "writing through a link": ("write_file", {"path": "/leak/evil.txt", "text": "x"}),
    "writing a linked file": ("edit_file", {"path": "/secret.txt", "edits": [{"old": "root", "new": "x"}]}),
    "editing a tool": ("edit_file", {"path": "/tools/double.py", "edits": [{"old": "2", "new": "3"}]}),
    "a tool that is not there": ("rm_rf", {"path": "/"}),
    "no arguments": ("write_file", {}),
    "arguments of another type": ("read_file", {"path": ["/", "etc"]}),
    "a figure outside": ("view_image", {"path": "/../../secret.png", "question": "?"}),
    "a figure behind a link": ("view_image", {"path": "/leak/picture.png", "question": "?"}),
    "a figure that is a text": ("view_image", {"path": "/question.md", "question": "?"}),
    "a skill by path": ("read_skill", {"name": "../../../../etc/passwd"}),
}


def test_hostile_arguments_get_text_back_and_do_nothing(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "passwd").write_text("root:hush")
    (outside / "picture.png").write_bytes(b"\x89PNG hush")
    workspace = workspace_in(tmp_path)
    (workspace.folder / "leak").symlink_to(outside)
    (workspace.folder / "secret.txt").symlink_to(outside / "passwd")
    before = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}
    calls = [Reply.use(name, **arguments) for name, arguments in HOSTILE.values()]
    reply, server, _ = worked(tmp_path, [*calls, Reply.refuse("no")], workspace, steps=len(calls) + 1)
    assert reply == Refusal(reason="no")
    for case, request in zip(HOSTILE, server.requests[1:], strict=True):
        assert request.results[-1], case
        assert "hush" not in json.dumps(request.body), case
        assert "root:x:0" not in request.results[-1], case
    after = {path: path.read_bytes() for path in before}
    assert after == before
    assert not list(tmp_path.rglob("evil*")) + list(tmp_path.rglob("escaped*"))


def test_the_shell_is_the_sandbox_and_keeps_only_what_may_be_written(tmp_path: Path) -> None:
    workspace = workspace_in(tmp_path, sandbox=open_sandbox())
    command = "; ".join(
        [
            "mkdir -p out",
            "python -c 'print(1+2)' > out/sum.txt",
            "cat out/sum.txt",
            "echo 9 > tools/double.py",
            "echo x > stray.txt",
            "mkdir -p .ruff_cache logs",
            "echo x > .ruff_cache/y",
            "echo x > logs/run.jsonl",
            "echo x > question.md",
            "ls /root /home 2>&1",
            "cat /etc/shadow",
            "ln -s /etc/passwd out/link",
            "exit 3",
        ]
    )
    shell = Reply.use("execute", command=command)
    reply, server, _ = worked(tmp_path, [shell, GOOD], workspace)
    assert reply == SUM
    (said,) = server.requests[1].results
    assert said.startswith("3\n")
    assert "exit code 3" in said
    assert "stray.txt" in said  # told that it was not kept
    assert "ruff_cache" not in said
    assert "jsonl" not in said
    assert "return 2 * x" in workspace.files.text("tools/double.py")
    assert workspace.question.startswith("# Add")
    assert [one.path for one in workspace.files.files("out")] == [FILE]
    assert not workspace.files.exists("stray.txt")


def test_tools_of_one_reply_are_used_one_after_the_other(tmp_path: Path) -> None:
    steps = [("write_file", {"path": f"/out/{n}.txt", "text": "0\n"}) for n in range(6)]
    last = ("grep", {"text": "0", "path": "/out"})
    both = Reply("", calls=(*steps, last, WRITE.calls[0]), finish="tool_calls")
    events: list[dict[str, Any]] = []
    with ScriptedModel([both, GOOD]) as server:
        task, workspace = summing(tmp_path), workspace_in(tmp_path)
        assert opened(server, tmp_path).work(task, ASKED, workspace, Runtime(on_event=events.append)) == SUM
    used = [event["output"]["tool"] for event in events if event["kind"] == "step"]
    assert used == ["write_file"] * 6 + ["grep", "write_file"]
    assert all(f"out/{n}.txt" in server.requests[1].results[6] for n in range(6))


def test_edits_are_made_all_or_none(tmp_path: Path) -> None:
    def edit(*edits: tuple[str, str]) -> Reply:
        return Reply.use("edit_file", path=FILE, edits=[{"old": old, "new": new} for old, new in edits])

    written = Reply.use("write_file", path=FILE, text="1\n1\n4\n")
    replies = [written, edit(("4", "5"), ("1", "2")), edit(("4", "x"), ("1\n1\nx", "3")), GOOD]
    reply, server, _ = worked(tmp_path, replies)
    assert reply == SUM
    assert (
        "Edit 2: `old` occurs 2 times in out/sum.txt, not once. Nothing was changed." in server.requests[2].results[1]
    )


def test_the_tools_are_described_in_few_words_and_old_outputs_are_left_out(tmp_path: Path) -> None:
    workspace = workspace_in(tmp_path)
    (workspace.folder / "long.txt").write_text("one more line of words\n" * 600)
    look = Reply.use("read_file", path="long.txt")
    _, server, _ = worked(tmp_path, [look] * 6 + [Reply.refuse("no")], workspace)
    assert len(json.dumps(server.requests[0].body["tools"])) < 6000
    seen = [sum(len(one) for one in request.results) for request in server.requests]
    assert max(seen) < 60_000
    assert any("left out, since it is long ago" in one for one in server.requests[-1].results)


def test_without_a_sandbox_nothing_runs(tmp_path: Path) -> None:
    _, server, _ = worked(tmp_path, [Reply.use("execute", command="echo hi"), Reply.refuse("no")])
    assert "no sandbox" in server.requests[1].results[0]


def test_abilities_decide_which_tools_there_are(tmp_path: Path) -> None:
    _, server, _ = worked(tmp_path, [Reply.refuse("no")], abilities=frozenset())
    assert set(server.requests[0].tools) == {"list_files", "read_file", "grep"}


def test_the_system_prompt_is_the_roles_own_and_no_other(tmp_path: Path) -> None:
    _, server, _ = worked(tmp_path, [Reply.refuse("no")])
    request = server.requests[0]
    assert request.system.startswith("You add the two numbers of a sentence.")
    assert request.system.rstrip().endswith("```")


def test_the_schema_of_the_reply_stands_in_every_request_with_tools(tmp_path: Path) -> None:
    _, server, _ = worked(tmp_path, [WRITE, GOOD])
    shape = json.loads(server.requests[0].system.rpartition("```json")[2].rpartition("```")[0])
    answer = shape["properties"]["answer"]["anyOf"][0]["properties"]
    assert set(answer) == set(Sum.model_fields)
    assert set(shape["properties"]) == {"answer", "question", "refusal"}
    assert all(request.free and request.system == server.requests[0].system for request in server.requests)


def test_an_answer_is_held_to_what_was_looked_at(tmp_path: Path) -> None:
    task = replace(
        summing(tmp_path), doubts=lambda _given, _answer, _workspace, looks: [] if looks else ["Look first."]
    )
    look, missing = (Reply.use("read_file", path=f"/{name}") for name in ("question.md", "nothing.md"))
    with ScriptedModel([WRITE, missing, GOOD, look, GOOD]) as server:
        assert opened(server, tmp_path).work(task, ASKED, workspace_in(tmp_path)) == SUM
    assert "Look first." in server.requests[3].complaints[0]


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    bad = Reply({"answer": {"sum": 3}, "note": "x"})
    _, server, _ = worked(tmp_path, [WRITE, bad, GOOD])
    said = server.requests[2].complaints[0]
    assert "Object `answer` lacks `numbers`, lacks `total`" in said
    assert "its fields are `numbers`, `total`" in said
    assert "unknown fields note" in said


@pytest.mark.slow
def test_packages_are_searched_and_skills_read_on_demand(tmp_path: Path) -> None:
    calls = [
        Reply.use("search_packages", query="parse a version", packages=["packaging"]),
        Reply.use("open_module", name="packaging.version"),
        Reply.use("search_packages", query="x", packages=["no_such_package"]),
        Reply.use("read_skill", name="units_and_conventions"),
        Reply.refuse("no"),
    ]
    _, server, _ = worked(tmp_path, calls)
    found, opened_module, absent, skill = server.requests[-1].results
    assert "packaging.version" in found
    assert "Version" in opened_module
    assert "not installed" in absent
    assert "basis(2, 0)" in skill
    assert "basis(2, 0)" not in server.requests[0].system + str(server.requests[0].body["tools"])


def figure(workspace: Workspace) -> None:
    folder = workspace.folder / "img"
    folder.mkdir()
    (folder / "sums.png").write_bytes(b"\x89PNG one")
    panel = {"title": "Sums", "series": [{"label": "s", "x": [0, 1], "y": [1.0, 3.0]}]}
    (folder / "sums.json").write_text(json.dumps({"kind": "lines", "panels": [panel]}))


def test_a_figure_goes_to_the_vision_model_with_its_data(tmp_path: Path) -> None:
    workspace = workspace_in(tmp_path)
    figure(workspace)

    def script(request: Request) -> Reply:
        if request.role == "tool_forging.view_figure":
            return Reply.answer({"seen": f"It ends at 3, says {request.input['data'][:8]}.", "faults": ["No unit."]})
        return Reply.refuse("no") if request.results else Reply.use("view_image", path="/img/sums.png", question="end?")

    with ScriptedModel(script) as server:
        mind = opened(server, tmp_path, model_vision="openai:scripted")
        mind.work(summing(tmp_path), ASKED, workspace)
        agrees(mind, server)
    seen = next(request for request in server.requests if request.role == "tool_forging.view_figure")
    assert seen.images == [b"\x89PNG one"]
    assert server.requests[-1].results == ['It ends at 3, says {"kind":.\nFault: No unit.']
    assert server.requests[-1].images == []  # the picture is not repeated with every step
    assert mind.meter.agents()["tool_forging.view_figure"].images == 1


def test_a_look_that_fails_does_not_end_the_work(tmp_path: Path) -> None:
    workspace = workspace_in(tmp_path)
    figure(workspace)

    def script(request: Request) -> Reply:
        if request.role == "tool_forging.view_figure":
            return Reply("The axes are fine.")
        return Reply.refuse("no") if request.results else Reply.use("view_image", path="/img/sums.png", question="?")

    with ScriptedModel(script) as server:
        ended = opened(server, tmp_path, model_vision="openai:scripted").work(summing(tmp_path), ASKED, workspace)
    assert isinstance(ended, Refusal)
    assert server.requests[-1].results[0].startswith("Error: Nobody could look at img/sums.png")


def test_without_a_vision_model_the_plotted_data_are_told(tmp_path: Path) -> None:
    workspace = workspace_in(tmp_path)
    figure(workspace)
    view = Reply.use("view_image", path="/img/sums.png", question="end?")
    _, server, _ = worked(tmp_path, [view, Reply.refuse("no")], workspace)
    assert "no vision model is set. The data beside it hold Sums: s (1 to 3, 2 points)" in server.requests[1].results[0]
    assert all(not request.images for request in server.requests)


def test_steps_are_events(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = []
    with ScriptedModel([WRITE, GOOD]) as server:
        mind, task, workspace = opened(server, tmp_path), summing(tmp_path), workspace_in(tmp_path)
        assert mind.work(task, ASKED, workspace, Runtime(on_event=events.append)) == SUM
    assert [event["kind"] for event in events] == ["step", "answer"]
    assert events[0]["output"]["tool"] == "write_file"
    assert events[1]["tokens"] == mind.meter.total().tokens
