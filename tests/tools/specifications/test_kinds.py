"""Documents of every kind: what is wrong is said with file, line, field, cause and fix; examples fit their schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from labwright.tools.errors import InputError
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.compiled_plan_files import compiled, text_or_plan
from labwright.tools.specifications.differences import differences
from labwright.tools.specifications.examples import KINDS, example
from labwright.tools.specifications.kinds import SHORT, SYSTEMS, is_procedure, read_written, system_named
from labwright.tools.specifications.patches import read_patches
from labwright.tools.specifications.schema import DRAFT, schema_of, write_schemas
from labwright.tools.specifications.sequence import reached, references, substituted
from labwright.tools.specifications.yaml_files import read_document, to_yaml

RESULT: dict[str, Any] = {
    "qubits": {"Q1": {"measured": {"t1.t1": {"value": 20.5, "error": 1, "unit": "us"}}}},
    "n": [4],
}


def read(text: str, patches: str = "") -> Any:
    return read_written(text, "f.yaml", Path(), read_patches(patches) or [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("trials: 3\n", "f.yaml, line 1: system: It is missing. Write one of: lab_calibration,"),
        ("system: nope\n", "f.yaml, line 1: system: There is no system 'nope'."),
        (
            "system: feature_map_search\ntrials: 0\n",
            "f.yaml, line 2: trials: It is 0. It should be greater than or equal to 1.",
        ),
        (
            "system: feature_map_search\ntrails: 3\n",
            "f.yaml, line 2: trails: There is no such field. Did you mean 'trials'?",
        ),
        (
            "system: tool_forging\nquestion: x\ninputs: [../a]\n",
            "f.yaml, line 3: inputs: The input '../a' lies outside",
        ),
        ("system: tool_forging\n", "f.yaml, line 1: question: It is missing. Add it."),
        ("system: protocol_design\n", "f.yaml, line 1: chemicals: It is missing. Add it."),
        (
            "system: protocol_design\nchemicals: [{nme: water}]\ngroups: []\n",
            "f.yaml, line 2: chemicals.0.nme: There is no such field. Did you mean 'name'?",
        ),
        (
            "system: lab_calibration\nsteps:\n- {experimnt: t1}\n",
            "f.yaml, line 3: steps.0.experimnt: There is no such field.",
        ),
        ("system: lab_calibration\nsteps:\n- t1 Q1\n- 3\n", "f.yaml, line 4: steps.1: It is 3. Write text or fields."),
        ("system: sequence\nsteps: [{label: a, file: x}, {label: a, file: y}]\n", "The label 'a' is taken."),
        ("spec: 2\nsystem: sequence\n", "spec: Version 2 is not known; this one is 1. Upgrade Labwright"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_its_fix(text: str, said: str) -> None:
    with pytest.raises(SpecificationError) as wrong:
        read(text)
    assert said in str(wrong.value)


def test_a_value_with_two_forms_gives_one_finding() -> None:
    with pytest.raises(SpecificationError) as wrong:
        read("system: lab_calibration\nsteps: [{experimnt: t1}]\n")
    assert len(wrong.value.problems) == 1


@pytest.mark.parametrize(("short", "kind"), [(short, kind) for short, kinds in KINDS.items() for kind in kinds])
def test_an_example_is_valid_and_fits_its_schema(short: str, kind: str) -> None:
    text = example(short, kind)
    if kind == "procedure":
        assert is_procedure(text)
        return
    assert text.startswith(f"# yaml-language-server: $schema=.labwright/schemas/{SYSTEMS[short]}.json\n")
    written = read(text)
    assert written.spec.system == SYSTEMS[short]
    schema = schema_of(SYSTEMS[short], kind)
    assert schema["$schema"] == DRAFT
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(read_document(text).data)


def test_what_no_example_has_is_listed() -> None:
    for name, kind, said in (("nope", "", "calibration, search"), ("search", "chip", "There are: search")):
        with pytest.raises(InputError, match=said):
            example(name, kind)
    with pytest.raises(InputError, match="There are: calibration"):
        system_named("nope")


def test_the_schema_of_a_plan_takes_a_line_or_an_object_for_a_step() -> None:
    schema = schema_of("lab_calibration")
    kinds = {each.get("type", each.get("$ref")) for each in schema["properties"]["steps"]["items"]["anyOf"]}
    assert kinds == {"string", "#/$defs/Step"}
    assert schema["properties"]["steps"]["description"]
    assert schema["properties"]["procedures"]["readOnly"]
    assert schema["examples"][0]["system"] == "lab_calibration"


def test_all_schemas_are_written(tmp_path: Path) -> None:
    assert [path.stem for path in write_schemas(tmp_path / "schemas")] == list(SHORT)


def test_patches_reach_into_a_step_of_the_short_form() -> None:
    text = "system: lab_calibration\nsteps:\n  - t1 Q1, points = 31\n  - ramsey Q1\n"
    written = read(text, "steps.0.stop = 2 us\nseed = 4")
    data = read_document(written.text).data
    assert data["steps"][0] == {"experiment": "t1", "qubits": ["Q1"], "parameters": {"points": 31, "stop": "2 us"}}
    assert (data["steps"][1], data["seed"]) == ("ramsey Q1", 4)
    assert read("system: feature_map_search\n", "trials = 3").spec.trials == 3


def test_patches_that_lead_nowhere_are_refused() -> None:
    with pytest.raises(SpecificationError, match=r"f\.yaml: nothing: There is no field nothing"):
        read("system: lab_calibration\nsteps: [t1 Q1]\n", "nothing = 3")


def test_short_documents_and_long_texts_read_back() -> None:
    data = {"system": "tool_forging", "question": "# A\n\nB: c\n", "seed": 1}
    assert to_yaml(data).startswith("system: tool_forging\nquestion: |\n")
    assert read_document(to_yaml(data)).data == data


def test_differences_are_told_path_by_path() -> None:
    one = {"steps": ["t1 Q1", {"experiment": "ramsey"}], "seed": 3}
    other = {"steps": ["t1 Q1", {"experiment": "ramsey", "parameters": {"stop": "2 us"}}], "seed": 3.0, "title": "x"}
    assert list(differences(one, other)) == [
        ("steps.1.parameters.stop", None, "2 us"),
        ("seed", 3, 3.0),
        ("title", None, "x"),
    ]
    assert list(differences(one, one)) == []


def test_references_are_those_to_labels_and_runs() -> None:
    data = {"a": {"from": "one.n.0"}, "b": [{"from": "run:x#n", "times": 2}], "c": {"from": "t1.t1"}, "d": {"from": 3}}
    found = list(references(data, ["one", "two"]))
    assert [(each.path, each.source, each.inner, each.times) for each in found] == [
        (("a",), "one", "n.0", 1),
        (("b", 0), "run:x", "n", 2),
    ]
    assert substituted(data, found, lambda each: each.text)["b"] == ["run:x#n"]


def test_a_path_into_a_result_gives_numbers_with_units() -> None:
    assert reached(RESULT, "qubits.Q1.measured.t1.t1", 3) == "61.5 us"
    assert reached(RESULT, "qubits.Q1.measured.t1.t1.error") == 1
    assert reached(RESULT, "n.0", 2) == 8
    for path, said in (
        ("qubits.Q2", r"at 'Q2'. There is: Q1. Did you mean qubits.Q1\?"),
        ("qubits.Q1.measured.t1.t2", r"There is: t1.t1. Did you mean qubits.Q1.measured.t1.t1\?"),
        ("qubits.Q1.weather", "There is: measured. Write one of these after qubits.Q1."),
        ("weather", "There is: qubits, n. Write one of these."),
        ("n.1", "There is: 0. Write one of these after n."),
        ("n.0.x", "There is no more. Write n.0."),
    ):
        with pytest.raises(InputError, match=said):
            reached(RESULT, path)
    with pytest.raises(InputError, match="the result is empty"):
        reached({}, "n")
    with pytest.raises(InputError, match="cannot be multiplied"):
        reached(RESULT, "qubits", 2)


def test_prose_is_run_as_it_was_read_or_not_at_all(tmp_path: Path) -> None:
    prose = tmp_path / "p.md"
    plan = compiled(read("system: lab_calibration\nsteps: [t1 Q1]\n").spec, "Some prose.\n", "openai:x")
    (tmp_path / "p.plan.yaml").write_text(plan)
    assert text_or_plan(prose, "Some prose.\r\n") == plan
    assert read(plan).spec.read_by == "openai:x"
    with pytest.raises(InputError, match=r"has changed since p\.plan\.yaml was read from it.*labwright compile"):
        text_or_plan(prose, "Other prose.\n")
    assert text_or_plan(tmp_path / "q.md", "Other prose.") == "Other prose."
