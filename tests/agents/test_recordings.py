"""Recording through the real client, and playing it back: equal answers, an equal meter, and no secret on disk."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from add_up import PROMPT, Sentence, Sum, adding
from scripted_model import Reply, Request, ScriptedModel
from small_task import FILE, summing, workspace_in

from labwright.agents.backend_selection import make_mind
from labwright.agents.errors import AgentGaveUp, ModelUnavailable, RecordingMismatch
from labwright.agents.model_backend import ModelMind
from labwright.agents.recordings.manifest import EXCHANGES, MANIFEST, exchanges_in, load_manifest
from labwright.agents.recordings.replay import Replay, open_replay
from labwright.agents.settings import Settings
from labwright.agents.typed_call import Question, Refusal, Runtime
from labwright.tools.sandbox import open_sandbox

ASKED = Sentence(sentence="add 1 and 2")
GOOD = Reply.answer({"numbers": [1, 2], "total": 3})
SUM = Sum(numbers=[1, 2], total=3)
WRITE = Reply.use("write_file", path=f"/{FILE}", text="3\n")
PRICES = {"openai:scripted": {"input": 1.0, "output": 4.0}}
Script = Callable[[Request], Reply] | Iterable[Reply]
Work = Callable[[ModelMind], Any]


def recorded(
    folder: Path, script: Script, work: Work, methods: tuple[str, ...] = (), **more: Any
) -> tuple[Any, ModelMind]:
    """What `work` gives while the scripted model answers it, recorded in ``folder/kept``."""
    with ScriptedModel(script, methods=methods or ("json_schema", "tools", "text")) as server:
        settings = server.settings(folder / "state", api_key="sk-hush-hush", prices=PRICES, **more)
        mind = make_mind(f"record:{folder / 'kept'},openai:scripted", settings)
        assert isinstance(mind, ModelMind)
        done = work(mind)
        total = mind.meter.total()
        assert (total.input_tokens, total.output_tokens) == (server.spent.input_tokens, server.spent.output_tokens)
    return done, mind


def played(folder: Path, work: Work) -> tuple[Any, ModelMind, Replay]:
    """The same from the recording, with no server and no key."""
    replay = open_replay(folder / "kept")
    replay.rewind()
    mind = make_mind(f"replay:{folder / 'kept'}", Settings(_env_file=None, state=folder / "elsewhere"))
    assert isinstance(mind, ModelMind)
    return work(mind), mind, replay


def counted(mind: ModelMind) -> dict[str, Any]:
    """The meter without what a clock measures; money without the rounding of sums made in another order."""
    agents: dict[str, Any] = mind.meter.state()["agents"]
    return {role: {**usage, "seconds": 0, "cost": round(usage["cost"] or 0, 12)} for role, usage in agents.items()}


def lines(folder: Path) -> list[dict[str, Any]]:
    return exchanges_in(folder / "kept").read()


def several(folder: Path) -> Work:
    """A repaired answer, a truncated one, a question, two refusals, and a call that is given up."""

    def work(mind: ModelMind) -> list[Any]:
        add = adding(folder)
        texts = ("add 1 and 2", "1 and 2, please", "add 1", "coffee", "tea")
        said: list[Any] = [mind.answer(add, Sentence(sentence=text)) for text in texts]
        with pytest.raises(AgentGaveUp) as caught:
            mind.answer(add, Sentence(sentence="5 and 6"))
        return [*said, caught.value.findings]

    return work


SEVERAL = [
    Reply.answer({"numbers": [1, 2], "total": 99}), GOOD,
    Reply('{"answer": {"numb', finish="length"), GOOD,
    Reply.question("Which is the second?"), Reply.refuse("no"), Reply(refusal="I can't"),
    *[Reply("no idea")] * 3,
]  # fmt: skip


def test_a_replay_gives_equal_answers_and_an_equal_meter(tmp_path: Path) -> None:
    live, mind = recorded(tmp_path, SEVERAL, several(tmp_path))
    again, playing, replay = played(tmp_path, several(tmp_path))
    assert live[:2] == [SUM, SUM]
    assert [type(one) for one in live[2:5]] == [Question, Refusal, Refusal]
    assert again == live
    assert counted(playing) == counted(mind)
    assert playing.meter.total().cost == pytest.approx(mind.meter.total().cost)
    assert (playing.name, mind.name) == ("openai:scripted", "openai:scripted")
    replay.check()
    assert not (tmp_path / "state" / "cache").exists()
    assert not (tmp_path / "elsewhere").exists()


def test_every_exchange_is_kept_in_order_also_the_useless_ones(tmp_path: Path) -> None:
    recorded(tmp_path, SEVERAL, several(tmp_path))
    kept = lines(tmp_path)
    assert [one["attempt"] for one in kept] == [1, 2, 1, 2, 1, 1, 1, 1, 2, 3]
    assert {one["role"] for one in kept} == {"tests.add"}
    assert "add 1 and 2" in kept[0]["messages"][1]["content"]
    assert "`total` must be 3" in kept[1]["messages"][-1]["content"]
    assert kept[0]["form"]["name"] == "tests-add"
    assert "answer" in kept[0]["form"]["schema"]["properties"]
    assert kept[2]["reply"]["notes"]["reply"]["finish_reason"] == "length"
    assert kept[6]["reply"]["additional_kwargs"]["refusal"] == "I can't"
    assert kept[0]["reply"]["usage_metadata"]["output_tokens"] > 0


def test_the_manifest_says_who_answered_and_what_it_came_to(tmp_path: Path) -> None:
    _, mind = recorded(tmp_path, SEVERAL, several(tmp_path), answered_by="a colleague")
    manifest, total = load_manifest(tmp_path / "kept"), mind.meter.total()
    assert (manifest.model, manifest.who_answered) == ("openai:scripted", "a colleague")
    assert set(manifest.prompts) == {"add.md", "reply.md"}
    assert (manifest.totals.calls, manifest.totals.failures, manifest.totals.repairs) == (10, 0, 4)
    assert (manifest.totals.input_tokens, manifest.totals.output_tokens) == (total.input_tokens, total.output_tokens)
    assert manifest.totals.cost == pytest.approx(total.cost)
    assert manifest.characters_in > 10 * len(PROMPT)
    recorded(tmp_path, [GOOD], lambda mind: mind.answer(adding(tmp_path), ASKED))  # goes on in the same folder
    assert load_manifest(tmp_path / "kept").totals.calls == 11
    with pytest.raises(ModelUnavailable, match="another folder"):
        make_mind(
            f"record:{tmp_path / 'kept'},openai:other", Settings(_env_file=None, base_url="http://127.0.0.1:9/v1")
        )


def at_work(folder: Path, commands: bool = False) -> Work:
    def work(mind: ModelMind) -> Any:
        count = len(list(folder.glob("place*")))
        place = folder / f"place{count}"
        place.mkdir()
        sandbox = open_sandbox() if commands else None
        return mind.work(summing(folder), ASKED, workspace_in(place, sandbox=sandbox))

    return work


def test_a_loop_of_tools_is_recorded_and_played(tmp_path: Path) -> None:
    look = Reply.use("read_file", path="/tools/INDEX.md")
    wrong = Reply.answer({"numbers": [1, 2], "total": 4})
    script = [look, wrong, WRITE, Reply("Done: the sum is 3."), GOOD]
    live, mind = recorded(tmp_path, script, at_work(tmp_path))
    again, playing, replay = played(tmp_path, at_work(tmp_path))
    assert again == live == SUM
    assert counted(playing) == counted(mind)
    assert (tmp_path / "place1" / "workspace" / FILE).read_text() == "3\n"
    replay.check()
    kept = lines(tmp_path)
    assert [(one["role"], one["attempt"]) for one in kept] == [("tests.sum", one) for one in (1, 1, 2, 2, 2)]
    assert "write_file" in kept[0]["form"]["tools"]
    assert kept[0]["reply"]["tool_calls"][0]["name"] == "read_file"
    assert "twice a number" in kept[1]["messages"][-1]["content"]
    assert kept[4]["form"]["by"] == "json_schema"


def test_a_look_at_a_figure_within_the_work_is_an_exchange_of_its_own_role(tmp_path: Path) -> None:
    def work(mind: ModelMind) -> Any:
        place = tmp_path / f"place{len(list(tmp_path.glob('place*')))}"
        place.mkdir()
        workspace = workspace_in(place)
        (place / "workspace" / "figure.png").write_bytes(b"\x89PNG hush")
        return mind.work(summing(tmp_path), ASKED, workspace)

    look = Reply.use("view_image", path="/figure.png", question="What is it?")
    seen = Reply.answer({"seen": "A line.", "faults": []})
    live, _ = recorded(tmp_path, [look, seen, WRITE, GOOD], work, model_vision="openai:scripted")
    again, _, replay = played(tmp_path, work)
    assert again == live == SUM
    replay.check()
    roles = [one["role"] for one in lines(tmp_path)]
    assert roles == ["tests.sum", "tool_forging.view_figure", "tests.sum", "tests.sum"]


@pytest.mark.slow
def test_output_of_commands_is_kept_without_folders_and_times(tmp_path: Path) -> None:
    as_pytest = "echo 1 passed in 0.$(date +%N | cut -c1-2)s"  # which itself takes seconds to start
    show = Reply.use("execute", command=f"which python; cat {Path.home()}/none; {as_pytest}")
    live, _ = recorded(tmp_path, [show, WRITE, GOOD], at_work(tmp_path, commands=True))
    again, _, replay = played(tmp_path, at_work(tmp_path, commands=True))
    assert again == live
    replay.check()
    said = lines(tmp_path)[1]["messages"][-1]["content"]
    assert "«python»/bin/python" in said
    assert "1 passed in «seconds 1»" in said
    assert str(Path.home()) not in said


@pytest.mark.parametrize("method", ["tools", "text"])
def test_a_server_without_json_schema_is_played_with_its_rejections(method: str, tmp_path: Path) -> None:
    def work(mind: ModelMind) -> Any:
        return mind.answer(adding(tmp_path), ASKED)

    live, mind = recorded(tmp_path, lambda _request: GOOD, work, methods=(method,))
    again, playing, replay = played(tmp_path, work)
    assert again == live == SUM
    assert counted(playing) == counted(mind)
    replay.check()
    kept = lines(tmp_path)
    assert [one["failure"]["status"] for one in kept[:-1]] == [400] * (len(kept) - 1)
    assert kept[-1]["role"] == "tests.add"  # also where no schema goes along


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply.error(500), "error 500"),
        (Reply.error(401, "bad"), "LABWRIGHT_API_KEY"),
        (Reply(drop=True), "cannot be reached"),
    ],
)
def test_failures_are_recorded_and_come_again(reply: Reply, said: str, tmp_path: Path) -> None:
    def work(mind: ModelMind) -> str:
        with pytest.raises(ModelUnavailable, match=said) as caught:
            mind.answer(adding(tmp_path), ASKED)
        return str(caught.value)

    _, mind = recorded(tmp_path, lambda _request: reply, work)
    _, playing, replay = played(tmp_path, work)
    assert counted(playing) == counted(mind)
    assert playing.meter.total().failures == 1
    replay.check()


def test_a_changed_prompt_misses_with_the_role_and_the_first_differing_line(tmp_path: Path) -> None:
    def work(mind: ModelMind) -> Any:
        return mind.answer(adding(tmp_path), ASKED)

    recorded(tmp_path, [GOOD], work)
    add = adding(tmp_path)
    (tmp_path / "add.md").write_text(PROMPT.replace("two numbers of a sentence", "numbers of a text"))
    with pytest.raises(RecordingMismatch, match=r"tests\.add.*Line 2 .*'You add the two.*now.*'You add the numbers"):
        played(tmp_path, lambda mind: mind.answer(add, ASKED))
    replay = open_replay(tmp_path / "kept")
    assert len(replay.leftover()) == 1
    with pytest.raises(RecordingMismatch, match=r"Line 2"):  # a miss that somebody caught is not forgotten
        replay.check()
    stranger = replace(adding(tmp_path), name="tests.stranger")
    with pytest.raises(RecordingMismatch, match=r"no request of tests\.stranger"):
        played(tmp_path, lambda mind: mind.answer(stranger, ASKED))


def test_last_digits_of_another_processor_are_no_change_and_other_digits_are(tmp_path: Path) -> None:
    def work(value: str) -> Work:
        return lambda mind: mind.answer(adding(tmp_path), Sentence(sentence=f"add 1 and 2 at {value}, then 10"))

    recorded(tmp_path, [GOOD], work("0.06772726334191562"))
    said, _, replay = played(tmp_path, work("0.06772816938449838"))
    assert (said, replay.leftover()) == (SUM, [])
    for other in ("0.0678", "0.06772726334191562 +- 1e-3", "1"):
        with pytest.raises(RecordingMismatch):
            played(tmp_path, work(other))


def test_a_changed_schema_misses(tmp_path: Path) -> None:
    recorded(tmp_path, [GOOD], lambda mind: mind.answer(adding(tmp_path), ASKED))

    class Wider(Sum):
        note: str

    wider: Any = replace(adding(tmp_path), output=Wider)
    with pytest.raises(RecordingMismatch, match="note"):
        played(tmp_path, lambda mind: mind.answer(wider, ASKED))


def test_what_is_left_over_is_seen(tmp_path: Path) -> None:
    add, tea = adding(tmp_path), Sentence(sentence="tea")
    recorded(tmp_path, [GOOD, Reply.refuse("no")], lambda mind: [mind.answer(add, ASKED), mind.answer(add, tea)])
    _, _, replay = played(tmp_path, lambda mind: mind.answer(add, ASKED))
    (left,) = replay.leftover()
    assert left["seq"] == 2
    with pytest.raises(RecordingMismatch, match=r"1 of 2 exchanges .* number 2\. Roles: tests\.add"):
        replay.check()


def test_equal_requests_are_answered_in_the_recorded_order_and_no_more_often(tmp_path: Path) -> None:
    add = adding(tmp_path)
    recorded(tmp_path, [Reply.refuse(word) for word in "abc"], lambda mind: [mind.answer(add, ASKED) for _ in "abc"])
    asked = [Runtime(sample=1), Runtime(sample=0)]
    said, mind, _ = played(tmp_path, lambda mind: [mind.answer(add, ASKED) for _ in "abc"])
    assert [one.reason for one in said] == ["a", "b", "c"]
    with pytest.raises(RecordingMismatch, match="more often now"):
        mind.answer(add, ASKED)
    with pytest.raises(RecordingMismatch):  # another draw is another question
        played(tmp_path, lambda mind: [mind.answer(add, ASKED, runtime) for runtime in asked])


def test_no_secret_no_address_and_no_folder_is_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "hush-0123456789")
    png = b"\x89PNG\r\n\x1a\n" + bytes(200)
    (tmp_path / "figure.png").write_bytes(png)
    looking = adding(tmp_path, "vision")

    def script(request: Request) -> Reply:
        given = request.input["sentence"]
        told = f"wrong key {given} sk-hush-hush, sk-hus***ush hush-0123456789 at {server_of[0].url}"
        return GOOD if request.images else Reply.error(401, told)

    server_of: list[ScriptedModel] = []
    with ScriptedModel(script) as server:
        server_of.append(server)
        settings = server.settings(tmp_path / "state", api_key="sk-hush-hush", model_vision="openai:scripted")
        mind = make_mind(f"record:{tmp_path / 'kept'},openai:scripted", settings)
        shown = Runtime(images=[tmp_path / "figure.png"])
        assert mind.answer(looking, ASKED, shown) == SUM
        places = f"1 and 2 in {tmp_path}/x, {Path.home()}/y and {sys.prefix}/z"
        with pytest.raises(ModelUnavailable):
            mind.answer(adding(tmp_path), Sentence(sentence=places))
        address = server.url
    content = b"".join(path.read_bytes() for path in (tmp_path / "kept").iterdir())
    forbidden = [address, address.partition("//")[2], "sk-hus", "hush-0123456789", "base64", str(tmp_path)]
    forbidden += [f"{os.environ['HOME']}/", sys.prefix, str(Path.cwd()), "/tmp/"]
    assert [one for one in forbidden if one.encode() in content] == []
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [EXCHANGES, MANIFEST]
    picture, failure = lines(tmp_path)
    assert load_manifest(tmp_path / "kept").totals.images == 1
    assert "sha256:" in json.dumps(picture["messages"])
    assert "«key»" in failure["failure"]["said"]
    again = make_mind(f"replay:{tmp_path / 'kept'}", Settings(_env_file=None))
    (tmp_path / "figure.png").write_bytes(png + b"drawn by another release")
    assert again.answer(looking, ASKED, shown) == SUM


def test_names_of_runs_may_differ_and_a_reply_speaks_of_the_ones_at_hand(tmp_path: Path) -> None:
    def work(folder: str, run: str) -> Work:
        asked = Sentence(
            sentence=f"add 1 and 2 of {run}-calibrate-q1, under {folder}/{run}-calibrate-q1/data, by job {run}00aa"
        )
        return lambda mind: mind.answer(adding(tmp_path), asked)

    script = [Reply.refuse("20250131-142530-3f9a-calibrate-q1 has none, nor 20250131-142530-3f9a00aa")]
    recorded(tmp_path, script, work("/data/some", "20250131-142530-3f9a"))
    said, _, _ = played(tmp_path, work("/other/place", "20260712-080910-00ff"))
    assert said == Refusal(reason="20260712-080910-00ff-calibrate-q1 has none, nor 20260712-080910-00ff00aa")
    assert "/data/some" not in (tmp_path / "kept" / EXCHANGES).read_text()


def test_threads_write_whole_lines_and_right_totals(tmp_path: Path) -> None:
    add, count = adding(tmp_path), 24
    sentences = [Sentence(sentence=f"add {number} and 2") for number in range(count)]

    def script(request: Request) -> Reply:
        first = float(request.input["sentence"].split()[1])
        return Reply.answer({"numbers": [first, 2], "total": first + 2})

    def work(mind: ModelMind) -> list[float]:
        with ThreadPoolExecutor(8) as pool:
            return [one.total for one in pool.map(lambda sentence: mind.answer(add, sentence), sentences)]  # type: ignore[union-attr]

    live, mind = recorded(tmp_path, script, work, concurrency=8)
    assert [one["seq"] for one in lines(tmp_path)] == list(range(1, count + 1))
    assert load_manifest(tmp_path / "kept").totals.calls == count
    again, playing, replay = played(tmp_path, work)
    assert (again, counted(playing)) == (live, counted(mind))
    replay.check()


def test_a_torn_last_line_is_not_read_and_recording_goes_on(tmp_path: Path) -> None:
    add = adding(tmp_path)
    recorded(tmp_path, [GOOD, GOOD], lambda mind: [mind.answer(add, ASKED) for _ in "ab"])
    kept = tmp_path / "kept" / EXCHANGES
    kept.write_bytes(kept.read_bytes()[:-20])
    assert len(lines(tmp_path)) == 1
    recorded(tmp_path, [Reply.refuse("no")], lambda mind: mind.answer(add, ASKED))
    assert load_manifest(tmp_path / "kept").totals.calls == 2
    said, _, replay = played(tmp_path, lambda mind: [mind.answer(add, ASKED) for _ in "ab"])
    assert said == [SUM, Refusal(reason="no")]
    replay.check()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("record:somewhere", "record:DIR,provider:name"),
        ("record:somewhere,rules", "record:DIR,provider:name"),
        ("replay:", "replay:DIR"),
        ("replay:nowhere", "no recording in"),
    ],
)
def test_a_spec_that_cannot_be_read_is_said(
    spec: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelUnavailable, match=said):
        make_mind(spec, Settings(_env_file=None))
