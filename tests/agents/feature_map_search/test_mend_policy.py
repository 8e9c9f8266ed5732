"""Safe mends, checked by the same linter that finds the faults; all else is left to a model."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from labwright.agents.call import Refusal
from labwright.agents.feature_map_search.ideas import CodeFinding, CodeOut
from labwright.agents.feature_map_search.mend_policy import mended
from labwright.tools.feature_maps.lint import lint_source

HEAD = """import numpy as np
import pennylane as qml

from labwright.tools.feature_maps.base import BaseFeatureMap


class Ring(BaseFeatureMap):
    def __init__(self, n_qubits: int) -> None:
        super().__init__(n_qubits)

    def feature_map(self, x: np.ndarray) -> None:
        for i in range(self.n_qubits):
"""


def code(*lines: str, head: str = HEAD) -> str:
    return head + "".join(f"            {line}\n" for line in lines)


def mend(source: str, *findings: dict[str, str]) -> CodeOut | Refusal:
    return mended(source, [CodeFinding(**one) for one in findings or lint_source(source)], [], 4)


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("qml.RY(theta=x[i], wires=i)  # é before nothing", "qml.RY(phi=x[i], wires=i)  # é before nothing"),
        ("qml.RY(phi=x[i], wire=i)", "qml.RY(phi=x[i], wires=i)"),
        ("qml.RY(theta=x[i], qubit=i)", "qml.RY(phi=x[i], wires=i)"),
        ("qml.IsingZZ(angle=x[i], wires=[i, (i + 1) % 4])", "qml.IsingZZ(phi=x[i], wires=[i, (i + 1) % 4])"),
        ("qml.RZZ(x[i], wires=[i, (i + 1) % 4])", "qml.IsingZZ(x[i], wires=[i, (i + 1) % 4])"),
        ("qml.RY('é' and x[i], wire=i)", "qml.RY('é' and x[i], wires=i)"),
    ],
)
def test_names_are_mended_in_place(line: str, right: str) -> None:
    wrong = code(line)
    assert lint_source(wrong)
    assert mend(wrong) == CodeOut(code=code(right), class_name="Ring")
    assert lint_source(code(right)) == []


def test_wires_are_taken_modulo_their_number() -> None:
    wrong = code("qml.CNOT(wires=[i, i + 1])", "qml.RY(x[i], wires=i)")
    finding = {"rule": "rule: wires", "message": "CNOT on line 13 acts on [3, 4], outside wires 0 to 3.", "mend": ""}
    answer = mend(wrong, finding)
    assert answer == CodeOut(
        code=code("qml.CNOT(wires=[i, (i + 1) % self.n_qubits])", "qml.RY(x[i], wires=i)"), class_name="Ring"
    )


@pytest.mark.parametrize("module", ["numpy as np", "pennylane as qml"])
def test_a_forgotten_import_is_added(module: str) -> None:
    source = '"""Words."""\n\nfrom __future__ import annotations\n\n' + code("qml.RY(np.pi * x[i], wires=i)")
    wrong = source.replace(f"import {module}\n", "")
    name = module.split()[-1]
    finding = {
        "rule": "crashed",
        "message": f"The code failed on line 9 with name '{name}' is not defined.",
        "mend": "",
    }
    answer = mend(wrong, finding)
    assert isinstance(answer, CodeOut)
    assert f"from __future__ import annotations\nimport {module}\n" in answer.code
    ast.parse(answer.code)


def test_a_measurement_that_nobody_reads_goes() -> None:
    wrong = code("qml.RY(phi=x[i], wires=i)") + "        return qml.state()\n"
    answer = mend(wrong)
    assert answer == CodeOut(code=code("qml.RY(phi=x[i], wires=i)") + "        return\n", class_name="Ring")


def test_pennylanes_numpy_becomes_the_plain_one() -> None:
    head = HEAD.replace("import numpy as np", "from pennylane import numpy as np")
    finding = {"rule": "trainable", "message": "Line 13 uses a trainable parameter (RY).", "mend": ""}
    assert mend(code("qml.RY(x[i], wires=i)", head=head), finding) == CodeOut(
        code=code("qml.RY(x[i], wires=i)"), class_name="Ring"
    )


def test_several_faults_are_mended_at_once() -> None:
    wrong = code("qml.RY(theta=x[i], wires=i)", "qml.RZ(angle=x[i], wires=i)")
    assert mend(wrong) == CodeOut(
        code=code("qml.RY(phi=x[i], wires=i)", "qml.RZ(phi=x[i], wires=i)"), class_name="Ring"
    )


@pytest.mark.parametrize(
    ("source", "finding"),
    [
        (code("qml.RY(x[i]**2, wires=i)"), {"rule": "rule: not_affine", "message": "Line 13 squares.", "mend": "x"}),
        (code("qml.RY(a=1, b=2, wires=i)"), None),  # which of two is the angle?
        (code("qml.Spin(x[i], wires=i)"), None),
        (code("qml.RY(x[i], wires=i"), {"rule": "syntax", "message": "'(' was never closed.", "mend": ""}),
        (
            code("y = qml.probs(wires=i)", "qml.RY(y, wires=i)"),
            {"rule": "measurement", "message": "line 13", "mend": ""},
        ),
        (
            code("qml.RY(np.array(0.1, requires_grad=True), wires=i)").replace(
                "import numpy", "from pennylane import numpy"
            ),
            {"rule": "trainable", "message": "Line 13 uses a trainable parameter.", "mend": ""},
        ),
        (code("qml.RY(x[i], wires=i)"), {"rule": "crashed", "message": "name 'foo' is not defined", "mend": ""}),
    ],
)
def test_what_takes_a_mind_is_refused_with_the_finding(source: str, finding: dict[str, Any] | None) -> None:
    answer = mend(source, *([finding] if finding else []))
    assert isinstance(answer, Refusal)
    assert answer.reason
