import base64
import json
from io import BytesIO

import pytest
from calibrations import ONE_STAGE
from PIL import Image

from labwright.agents.lab_calibration.inspect_result import LOOK, in_doubt
from labwright.evaluation import tokens
from labwright.evaluation.benchmarks import token_economy
from labwright.evaluation.benchmarks.policy_model import role_of


@pytest.mark.parametrize(
    ("size", "cost"),
    [
        ((1024, 1024), 765),  # the two examples of OpenAI's documentation
        ((2048, 4096), 1105),
        ((512, 512), 255),
        ((640, 440), 425),  # our figures: two tiles
    ],
)
def test_a_picture_costs_its_tiles(size, cost):
    assert tokens.image_tokens(*size) == cost


def test_a_text_costs_its_pieces_or_a_quarter_of_its_bytes(monkeypatch):
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    tokens._encoding.cache_clear()
    assert tokens.tokenizer() == tokens.PIECES
    assert tokens.text_tokens("Measure T1 of Q1.") == 7  # Measure| T|1| of| Q|1|.
    assert tokens.text_tokens("123456") == 2  # digits come in threes
    assert tokens.text_tokens("x" * 400) == 100


def test_a_request_costs_text_schema_and_pictures():
    buffer = BytesIO()
    Image.new("RGB", (640, 440)).save(buffer, "png")
    url = f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
    user = [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": url}}]
    body = {"messages": [{"role": "system", "content": "You look."}, {"role": "user", "content": user}]}
    body["response_format"] = {"json_schema": {"name": "a-b", "schema": {}}}
    counted = tokens.count_request(body)
    assert (counted.images, counted.image_tokens) == (1, 425)
    assert counted.text == tokens.text_tokens("You look.") + tokens.text_tokens("Look.") + 9
    assert counted.schema == tokens.text_tokens('{"json_schema":{"name":"a-b","schema":{}}}')
    assert counted.total == counted.text + counted.schema + 425
    assert role_of(body) == "a.b"


def test_figures_are_looked_at_where_the_numbers_leave_doubt(tmp_path):
    """One stage that succeeds: its numbers are enough, so that a look saves nothing but costs its tokens."""
    rows = {
        way: token_economy.measured(ONE_STAGE, way, tmp_path / str(number))
        for number, way in enumerate(("figures where in doubt", "every figure"))
    }
    assert {row["status"] for row in rows.values()} == {"complete"}
    sparing, every = rows["figures where in doubt"], rows["every figure"]
    assert (sparing["images"], LOOK.name in sparing["by_role"]) == (0, False)
    assert every["images"] > 0
    assert every["input_tokens"] - sparing["input_tokens"] >= every["by_role"][LOOK.name]["input_tokens"]
    kept = map(json.loads, (tmp_path / "1" / "requests.jsonl").read_text().splitlines())
    assert token_economy.counted(kept)["input_tokens"] == every["input_tokens"]


@pytest.mark.parametrize(
    ("verdict", "checks", "doubt"),
    [("success", [1], False), ("adjust", [1], False), ("wrong_setup", [1], False), ("bad_data", [1], True),
     ("success", [], True)],
)  # fmt: skip
def test_numbers_leave_doubt_where_no_model_fits_or_nothing_was_computed(verdict, checks, doubt):
    assert in_doubt({"verdict": verdict, "checks": checks}) is doubt
