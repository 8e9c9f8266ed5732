"""What a script sees of a tool: plain data that crosses unchanged, its errors and warnings, and its files."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from labwright.tools.forge.calls.call_processes import Servers
from labwright.tools.forge.toolset import client
from labwright.tools.forge.toolset.client import Tools, decoded, encoded, swapped
from labwright.tools.sandbox import Sandbox

numbers = st.integers() | st.floats(allow_nan=False) | st.complex_numbers(allow_nan=False)
plain = st.recursive(
    st.none() | st.booleans() | st.text() | numbers,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=20,
)


@given(plain)
def test_plain_data_cross_unchanged(value: Any) -> None:
    text = json.dumps(encoded(value), allow_nan=False)
    back = decoded(json.loads(text), lambda tool, name: None)
    assert back == value
    assert repr(back) == repr(value)  # 1 is not 1.0, a tuple is no list, and -0.0 keeps its sign


def test_numbers_that_are_none_and_arrays_cross_as_plain_numbers() -> None:
    assert math.isnan(decoded(json.loads(json.dumps(encoded(math.nan))), lambda *_: None))
    made = encoded({"a": np.array([[1.0, 2.0]]), "b": np.float64(0.5), "c": np.int64(3), "d": np.complex128(1j)})
    back = decoded(made, lambda *_: None)
    assert back == {"a": [[1.0, 2.0]], "b": 0.5, "c": 3, "d": 1j}
    assert type(back["b"]) is float
    with pytest.raises(TypeError, match="object cannot cross"):
        encoded(object())


def test_only_texts_are_swapped() -> None:
    assert swapped({"a": ["x/1", 2], "x/": "x"}, [("x/", "y/")]) == {"a": ["y/1", 2], "x/": "x"}


TEXT = '''"""Adds, writes and fails."""
import warnings
from pathlib import Path
import numpy as np
from pydantic import BaseModel, Field, field_validator


class StepsInput(BaseModel, allow_inf_nan=False):
    """What to do."""

    class Part(BaseModel):
        """One part."""

        size: float = Field(gt=0, description="Its size, in m.")

    parts: list[Part] = Field(description="The parts.")
    path: str = Field(default="", description="Where the table goes.")
    way: str = "sum"

    @field_validator("way")
    @classmethod
    def _known(cls, way: str) -> str:
        if way == "none":
            raise ValueError("there is no way {none}")
        return way


class StepsOutput(BaseModel):
    """What came of it."""

    total: float
    shape: tuple[int, int] = (1, 2)
    first: StepsInput.Part
    path: str = ""


def steps(given: StepsInput) -> StepsOutput:
    """The sum."""
    if given.way == "fail":
        raise RuntimeError("it did not converge: residual 0.3")
    if given.way == "singular":
        np.linalg.inv(np.zeros((2, 2)))
    if given.way == "exit":
        raise SystemExit(3)
    if given.way == "warn":
        warnings.warn("the step is large", RuntimeWarning, stacklevel=2)
    if given.path:
        Path(given.path).parent.mkdir(parents=True, exist_ok=True)
        before = Path(given.path).read_text() if Path(given.path).exists() else ""
        Path(given.path).write_text(before + "size\\n")
        Path(given.path).with_suffix(".json").write_text("{}")
        (Path(given.path).parent / "step_01.py").write_text("hostile")
    return StepsOutput(total=sum(one.size for one in given.parts), first=given.parts[0], path=given.path)
'''


@pytest.fixture(scope="module")
def module(sandbox: Sandbox) -> Iterator[Any]:
    import importlib
    import sys
    import types

    servers = Servers(sandbox)
    finder = Tools({"tools.steps": TEXT}.get, servers.ask, records=False)
    package = types.ModuleType("tools")
    package.__path__ = []
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "tools"}
    sys.modules["tools"] = package
    sys.meta_path.insert(0, finder)
    try:
        yield importlib.import_module("tools.steps")
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.partition(".")[0] == "tools"]:
            del sys.modules[name]
        sys.modules.update(kept)
        servers.close()


def test_models_and_outputs_are_the_tools_own_in_all_that_a_script_does_with_them(module: Any) -> None:
    given = module.StepsInput(parts=[{"size": 1}, module.StepsInput.Part(size=2.0)])
    assert given.way == "sum"
    assert [type(one.size) for one in given.parts] == [float, float]
    out = module.steps(given)
    assert isinstance(out, module.StepsOutput)
    assert isinstance(out.first, module.StepsInput.Part)
    assert (out.total, out.shape, out.first.size) == (3.0, (1, 2), 1.0)
    assert out.model_dump() == {"total": 3.0, "shape": (1, 2), "first": {"size": 1.0}, "path": ""}
    assert str(out).startswith("total=3.0 shape=(1, 2)")
    assert module.StepsInput.model_validate_json(given.model_dump_json()) == given
    assert module.steps(given.model_copy(update={"parts": given.parts[:1]})).total == 1.0
    given.parts.pop()  # what a script changes is what the tool gets
    assert module.steps(given=given).total == 1.0
    assert "Adds" in module.__doc__
    assert module.steps.__doc__ == "The sum."


def test_errors_are_those_of_the_tool(module: Any) -> None:
    with pytest.raises(ValidationError, match=r"parts\.0\.size") as wrong:
        module.StepsInput(parts=[{"size": -1.0}])
    assert wrong.value.errors()[0]["loc"] == ("parts", 0, "size")
    with pytest.raises(ValueError, match=r"there is no way \{none\}"):
        module.StepsInput(parts=[], way="none")
    part = [{"size": 1.0}]
    with pytest.raises(RuntimeError, match=r"residual 0\.3"):
        module.steps(module.StepsInput(parts=part, way="fail"))
    with pytest.raises(ValueError, match="Singular matrix"):  # numpy's LinAlgError is a ValueError
        module.steps(module.StepsInput(parts=part, way="singular"))
    with pytest.raises(RuntimeError, match="SystemExit"):
        module.steps(module.StepsInput(parts=part, way="exit"))
    with pytest.raises(AttributeError):
        module.steps(None)
    with pytest.warns(RuntimeWarning, match="the step is large"):
        module.steps(module.StepsInput(parts=part, way="warn"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert module.steps(module.StepsInput(parts=part)).total == 1.0


def test_a_named_file_goes_there_and_comes_back_and_no_other(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (str(tmp_path / "new" / "table.csv"), "table.csv"):
        for lines in (1, 2):
            out = module.steps(module.StepsInput(parts=[{"size": 1.0}], path=path))
            assert out.path == path
            assert Path(path).read_text() == "size\n" * lines
        assert Path(path).with_suffix(".json").read_text() == "{}"
    assert not list(tmp_path.rglob("step_01.py"))


def test_only_fields_of_a_path_are_files_and_nothing_else_that_reads_alike() -> None:
    given = {"path": "h2", "molecule": "h2", "profile": "gaussian", "parts": [{"output_file": "out/"}]}
    request, paths = client._with_files(given)
    assert paths == ["h2", "out/"]
    assert request["data"]["molecule"] == "h2"
    assert request["data"]["profile"] == "gaussian"
    assert request["data"]["path"] == f"{client.FILES}/0/h2"
    assert request["data"]["parts"] == [{"output_file": f"{client.FILES}/1/out"}]
