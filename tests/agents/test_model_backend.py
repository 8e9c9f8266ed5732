"""The model mind through the real client, against a scripted server on loopback."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from add_up import Sentence, Sum, adding
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableLambda
from scripted_model import Reply, ScriptedModel, by_policy

from labwright.agents.backend_selection import make_mind, ping
from labwright.agents.errors import AgentGaveUp, BudgetExceeded, ModelUnavailable
from labwright.agents.meter import Budget, Meter, Usage
from labwright.agents.model_backend import ModelMind
from labwright.agents.settings import Price
from labwright.agents.typed_call import Refusal, Runtime

ASKED = Sentence(sentence="add 1 and 2")
GOOD = Reply.answer({"numbers": [1, 2], "total": 3})
SUM = Sum(numbers=[1, 2], total=3)


def opened(server: ScriptedModel, folder: Path, budget: str = "", **more: object) -> ModelMind:
    mind = make_mind("openai:scripted", server.settings(folder, **more), Meter(Budget.parse(budget)))
    assert isinstance(mind, ModelMind)
    return mind


def spent_agrees(mind: ModelMind, server: ScriptedModel) -> None:
    total = mind.meter.total()
    assert (total.input_tokens, total.output_tokens) == (server.spent.input_tokens, server.spent.output_tokens)
    assert total.calls - total.failures == server.spent.replies


BAD = {
    "not JSON": (Reply("I think it is 3"), "not JSON"),
    "empty": (Reply(""), "empty"),
    "cut off": (Reply('{"answer": {"numb', finish="length"), "cut off"),
    "a list": (Reply([1, 2]), "JSON object"),
    "nothing given": (Reply({"answer": None, "question": None, "refusal": None}), "given: none"),
    "two given": (Reply({"answer": {"total": 3}, "question": {"text": "?"}, "refusal": None}), "answer and question"),
    "unknown field": (Reply({"result": 3}), "unknown fields result"),
    "wrong type": (Reply.answer({"numbers": [1, 2], "total": "three"}), "`answer.total`"),
    "too few items": (Reply.answer({"numbers": [1], "total": 1}), "`answer.numbers`"),
    "false sum": (Reply.answer({"numbers": [1, 2], "total": 99}), "`total` must be 3"),
    "invented number": (Reply.answer({"numbers": [1, 4], "total": 5}), "first two of the sentence"),
}


@pytest.mark.parametrize("case", BAD)
def test_an_invalid_reply_goes_back_with_what_is_wrong_and_is_mended(case: str, tmp_path: Path) -> None:
    bad, said = BAD[case]
    with ScriptedModel([bad, GOOD]) as server:
        mind = opened(server, tmp_path)
        assert mind.answer(adding(tmp_path), ASKED) == SUM
    (complaint,) = server.requests[1].complaints
    assert said in complaint
    assert mind.meter.total().repairs == 1
    spent_agrees(mind, server)


def test_after_the_last_repair_the_mind_gives_up_and_stores_nothing(tmp_path: Path) -> None:
    with ScriptedModel([Reply("no")] * 3 + [GOOD]) as server:
        mind = opened(server, tmp_path)
        with pytest.raises(AgentGaveUp, match="in 3 attempts") as caught:
            mind.answer(adding(tmp_path), ASKED)
        assert mind.answer(adding(tmp_path), ASKED) == SUM
    assert caught.value.attempts == 3
    assert mind.meter.total().cache_hits == 0
    spent_agrees(mind, server)


def test_a_second_asking_is_answered_from_disk_for_nothing(tmp_path: Path) -> None:
    with ScriptedModel([GOOD, GOOD]) as server:
        opened(server, tmp_path).answer(adding(tmp_path), ASKED)
        again = opened(server, tmp_path)
        events: list[dict[str, object]] = []
        assert again.answer(adding(tmp_path), ASKED, Runtime(on_event=events.append)) == SUM
        assert (again.meter.total().tokens, again.meter.total().cache_hits, events[0]["cached"]) == (0, 1, True)
        again.answer(adding(tmp_path), ASKED, Runtime(sample=1))  # another draw is another question
        assert len(server.requests) == 2


@pytest.mark.parametrize("damage", ["", "{", '{"reply": {}}', '{"digest": "0", "reply": {"answer": {"total": 3}}}'])
def test_a_corrupt_cache_entry_is_asked_again(damage: str, tmp_path: Path) -> None:
    with ScriptedModel([GOOD, GOOD]) as server:
        opened(server, tmp_path).answer(adding(tmp_path), ASKED)
        (entry,) = (tmp_path / "cache").rglob("*.json")
        entry.write_text(damage)
        assert opened(server, tmp_path).answer(adding(tmp_path), ASKED) == SUM
    assert len(server.requests) == 2


def test_refusals_of_the_role_and_of_the_protocol_come_back_and_are_not_stored(tmp_path: Path) -> None:
    with ScriptedModel([Reply.refuse("no"), Reply(refusal="I can't")]) as server:
        mind = opened(server, tmp_path)
        assert mind.answer(adding(tmp_path), ASKED) == Refusal(reason="no")
        assert mind.answer(adding(tmp_path), ASKED) == Refusal(reason="I can't")


@pytest.mark.parametrize("methods", [("tools", "text"), ("text",)])
def test_a_server_without_json_schema_is_asked_the_next_way(methods: tuple[str, ...], tmp_path: Path) -> None:
    add = adding(tmp_path)
    with ScriptedModel(lambda _request: GOOD, methods=methods) as server:
        mind = opened(server, tmp_path)
        assert mind.answer(add, ASKED) == SUM
        mind.answer(add, Sentence(sentence="now 1 and 2"))
    assert server.requests[-1].method == methods[0]
    assert server.requests[-2].method == methods[0]  # the way is remembered
    spent_agrees(mind, server)


def test_429_is_tried_again_after_the_time_the_server_asks_for(tmp_path: Path) -> None:
    with ScriptedModel([Reply.error(429, retry_after=0.3), GOOD]) as server:
        mind = opened(server, tmp_path, retries=1)
        assert mind.answer(adding(tmp_path), ASKED) == SUM
    assert server.times[1] - server.times[0] >= 0.29
    assert server.times[1] - server.times[0] < 0.5  # the client's own pause would be longer
    spent_agrees(mind, server)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply.error(429, retry_after=0.01), "429"),
        (Reply.error(500), "error 500"),
        (Reply.error(400, "context is too long"), "error 400.*too long"),
        (Reply(drop=True), "cannot be reached"),
        (Reply("", delay=5), "LABWRIGHT_TIMEOUT"),
    ],
)
def test_a_model_that_does_not_answer_is_named_and_counted_as_a_failure(
    reply: Reply, said: str, tmp_path: Path
) -> None:
    with ScriptedModel(lambda _request: reply) as server:
        mind = opened(server, tmp_path, timeout=0.3)
        with pytest.raises(ModelUnavailable, match=said):
            mind.answer(adding(tmp_path), ASKED)
        assert (mind.meter.total().calls, mind.meter.total().failures) == (1, 1)
        spent_agrees(mind, server)


def test_a_timeout_is_tried_again(tmp_path: Path) -> None:
    with ScriptedModel([Reply("", delay=5), GOOD]) as server:
        mind = opened(server, tmp_path, timeout=0.3, retries=1)
        assert mind.answer(adding(tmp_path), ASKED) == SUM
        spent_agrees(mind, server)


def test_figures_go_to_the_vision_model_and_are_part_of_the_cache_key(tmp_path: Path) -> None:
    figure = tmp_path / "rabi.png"
    figure.write_bytes(b"\x89PNG one")
    with ScriptedModel([GOOD, GOOD]) as server:
        mind = opened(server, tmp_path, model_vision="openai:scripted")
        mind.answer(adding(tmp_path), ASKED, Runtime(images=[figure]))
        figure.write_bytes(b"\x89PNG two")
        mind.answer(adding(tmp_path), ASKED, Runtime(images=[figure]))
    assert mind.sees_images
    assert [request.images for request in server.requests] == [[b"\x89PNG one"], [b"\x89PNG two"]]
    total = mind.meter.total()
    assert (total.images, total.image_tokens) == (2, server.spent.image_tokens)
    spent_agrees(mind, server)


def test_without_a_vision_model_no_figure_is_sent_and_the_mind_says_so(tmp_path: Path) -> None:
    figure = tmp_path / "rabi.png"
    figure.write_bytes(b"\x89PNG")
    events: list[dict[str, object]] = []
    with ScriptedModel([GOOD]) as server:
        mind = opened(server, tmp_path)
        mind.answer(adding(tmp_path, "vision"), ASKED, Runtime(images=[figure], on_event=events.append))
    assert not mind.sees_images
    assert (server.requests[0].images, events[0]["images"]) == ([], 0)


def test_tokens_stream_to_a_listener_and_are_counted_all_the_same(tmp_path: Path) -> None:
    pieces: list[str] = []

    class Listener(BaseCallbackHandler):
        def on_llm_new_token(self, token: str, **_: object) -> None:
            pieces.append(token)

    with ScriptedModel([Reply('{"answ', finish="length"), GOOD]) as server:
        mind = opened(server, tmp_path)
        mind.chats["general"].model.streaming = True  # type: ignore[attr-defined]
        node = RunnableLambda(lambda _: mind.answer(adding(tmp_path), ASKED))
        assert node.invoke("", {"callbacks": [Listener()]}) == SUM
    assert "".join(pieces).endswith('"refusal": null}')
    assert len(pieces) > 3
    spent_agrees(mind, server)


def test_a_call_budget_is_exact_even_among_threads(tmp_path: Path) -> None:
    add, stopped = adding(tmp_path), []

    def ask(number: int) -> None:
        try:
            mind.answer(add, Sentence(sentence=f"add {number} and 2"))
        except BudgetExceeded as error:
            stopped.append(error)

    with ScriptedModel(by_policy(add)) as server:
        mind = opened(server, tmp_path, "calls=5")
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (len(server.requests), len(stopped)) == (5, 3)
    spent_agrees(mind, server)


def test_a_token_budget_stops_between_repairs_and_says_what_was_spent(tmp_path: Path) -> None:
    with ScriptedModel(lambda _request: Reply("no")) as server:
        mind = opened(server, tmp_path, "tokens=300")
        with pytest.raises(BudgetExceeded, match=r"budget of 300 tokens is spent") as caught:
            mind.answer(adding(tmp_path), ASKED)
    assert caught.value.spent == mind.meter.total().tokens >= 300
    spent_agrees(mind, server)


def test_money_is_counted_by_the_price_table_and_stops_the_run(tmp_path: Path) -> None:
    prices = {"scripted": Price(input=1e6, output=2e6)}  # one per input token, two per output token
    with ScriptedModel(lambda _request: Reply("no")) as server:
        mind = opened(server, tmp_path, "money=1", prices=prices)
        with pytest.raises(BudgetExceeded, match="1 money"):
            mind.answer(adding(tmp_path), ASKED)
    assert mind.meter.total().cost == server.spent.input_tokens + 2 * server.spent.output_tokens


def test_a_server_that_counts_nothing_is_reported_as_unknown_and_cannot_keep_a_token_budget(tmp_path: Path) -> None:
    with ScriptedModel([Reply("no", usage=False)]) as server:
        mind = opened(server, tmp_path, "tokens=100000")
        with pytest.raises(BudgetExceeded, match="cannot be kept, because the server reports no usage"):
            mind.answer(adding(tmp_path), ASKED)
    assert (mind.meter.total().unknown, mind.meter.total().cost) == (1, None)


def test_ping_says_what_to_mend(tmp_path: Path) -> None:
    with ScriptedModel(lambda _request: Reply("ok"), key="right") as server:
        assert 0 < ping("openai:scripted", server.settings(tmp_path, api_key="right")) < 5
        with pytest.raises(ModelUnavailable, match="LABWRIGHT_API_KEY"):
            ping("openai:scripted", server.settings(tmp_path, api_key="wrong"))
        with pytest.raises(ModelUnavailable, match="Check the model's name"):
            ping("openai:other", server.settings(tmp_path, api_key="right"))
        gone = server.settings(tmp_path)
    with pytest.raises(ModelUnavailable, match="LABWRIGHT_BASE_URL"):
        ping("openai:scripted", gone)
    with pytest.raises(ModelUnavailable, match="provider:name"):
        ping("scripted", gone)


def test_the_key_is_neither_cached_nor_told(tmp_path: Path) -> None:
    events: list[dict[str, object]] = []
    with ScriptedModel([GOOD], key="sesame-open") as server:
        mind = opened(server, tmp_path, api_key="sesame-open")
        mind.answer(adding(tmp_path), ASKED, Runtime(on_event=events.append))
    kept = "".join(path.read_text() for path in (tmp_path / "cache").rglob("*.json"))
    assert "sesame" not in kept + str(events) + repr(mind)
    assert mind.meter.agents()["tests.add"].answers == 1
    assert isinstance(mind.meter.total(), Usage)
