import pytest

from labwright.tools.errors import ProcedureError
from labwright.tools.specifications.procedures import load_procedures, parse_procedure, slug_of

GOOD = """# Tune 'dut' beside 'other'

## Background
Why.

## Steps
- Measure T1 of 'dut'. If it fails,
  repeat.
- Measure T1 of 'other'.

## Results
- Both times.
"""


def test_a_document_is_read_whole():
    procedure = parse_procedure(GOOD)
    assert procedure.parameters == ("dut", "other")
    assert procedure.steps == ("Measure T1 of 'dut'. If it fails, repeat.", "Measure T1 of 'other'.")
    assert procedure.background == "Why."
    assert procedure.results == "- Both times."


def test_paragraphs_are_steps_where_there_is_no_list():
    assert parse_procedure("# T\n## Steps\nDo a\nand b.\n\nDo c.\n").steps == ("Do a and b.", "Do c.")


def test_front_matter_may_give_the_steps_written_out():
    front = "---\nsteps:\n  - t1 'dut', stop = 300 us\n  - {experiment: rabi, qubits: [dut]}\n---\n"
    found = parse_procedure(f"{front}# Look at 'dut'\n## Steps\nFirst this, then that.\n")
    assert found.steps == ("t1 'dut', stop = 300 us", {"experiment": "rabi", "qubits": ["dut"]})
    assert found.parameters == ("dut",)


def test_a_mistake_below_front_matter_is_named_with_its_line_of_the_file():
    with pytest.raises(ProcedureError, match="line 6"):
        parse_procedure("---\nsteps:\n  - t1 'dut'\n---\n# Look at 'dut'\n## Stepps\n- x\n")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "empty"),
        ("Hello\n# T\n", 1, "before the title"),
        ("# T\n\n## Background\nx\n", 1, "has no `## Steps`"),
        ("# T\n## Steps\n\n## Results\nx\n", 2, "`## Steps` is empty"),
        ("# T\n## Stepps\n- a\n", 2, "Use Background, Steps or Results"),
        ("# T\n## Steps\n- a\n## Steps\n- b\n", 4, "comes twice"),
        ("# T\n## Steps\n- a\n# U\n", 4, "second title"),
        ("# T\nloose\n## Steps\n- a\n", 2, "outside a section"),
        ("# T 'dut'\n## Steps\n- Measure 'qubit'\n", 3, "'qubit' is not in the title"),
        ("# 'dut'\n## Steps\n- Measure 'dut'\n", 1, "names only parameters"),
    ],
)
def test_a_malformed_document_names_file_line_and_mend(text, line, says):
    with pytest.raises(ProcedureError) as error:
        parse_procedure(text, "lab/tune.md")
    assert f"lab/tune.md, line {line}" in str(error.value)
    assert says in str(error.value)


def test_the_shipped_procedures_are_there():
    assert set(load_procedures()) == {
        "calibrate-single-qubit",
        "benchmark-single-qubit",
        "characterise-coherence",
        "bring-up",
        "find-sizzle-gate-parameters",
        "recover-lost-qubit",
        "repair-gates",
    }


def test_a_users_folder_adds_and_replaces(tmp_path):
    (tmp_path / "mine.md").write_text(GOOD)
    (tmp_path / "own.md").write_text("# Bring up 'dut'\n## Steps\n- Measure T1 of 'dut'\n")
    library = load_procedures([tmp_path])
    assert slug_of("Tune 'dut' beside 'other'") in library
    assert library["bring-up"].path == str(tmp_path / "own.md")


def test_a_users_folder_must_be_sound(tmp_path):
    with pytest.raises(ProcedureError, match="no folder"):
        load_procedures([tmp_path / "absent"])
    (tmp_path / "a.md").write_text(GOOD)
    (tmp_path / "b.md").write_text(GOOD)
    with pytest.raises(ProcedureError, match="same title"):
        load_procedures([tmp_path])
    (tmp_path / "b.md").write_bytes(b"\xff\xfe")
    with pytest.raises(ProcedureError, match="not UTF-8"):
        load_procedures([tmp_path])
