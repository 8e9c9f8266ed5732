"""What the text alone shows, against the signatures of the PennyLane that is installed."""

import subprocess
import sys

import pytest

from labwright.tools.feature_maps.lint import lint_source, state_written
from labwright.tools.feature_maps.pennylane_signatures import signatures
from labwright.tools.feature_maps.template import TEMPLATE


@pytest.mark.parametrize(
    ("body", "rule", "words"),
    [
        ("qml.RX(theta=x[0], wires=0)", "arguments", "no argument theta"),
        ("qml.RX(x[0])", "arguments", "wires is missing"),
        ("qml.RX(x[0], 0, None, 1)", "arguments", "4 arguments are given by position"),
        ("qml.RX(x[0], phi=x[0], wires=0)", "arguments", "phi is given twice"),
        ("qml.CRot(x[0], wires=[0, 1])", "arguments", "theta, omega is missing"),
        ("qml.CNOT(wires=0)", "arguments", "acts on 2 wires, but is given 1"),
        ("qml.ops.RX(theta=x[0], wires=0)", "arguments", "no argument theta"),
        ("qml.AngleEmbedding(x, wires=range(4), axis='Y')", "arguments", "no argument axis"),
        ("qml.Rx(x[0], wires=0)", "unknown_operation", "no `Rx`"),
        ("qml.broadcast(qml.RX, wires=[0], pattern='single')", "unknown_operation", "no `broadcast`"),
        ("from pennylane import RXX", "unknown_operation", "no `RXX`"),
        ("return qml.expval(qml.PauliZ(0))", "measurement", "measures"),
        ("import os", "forbidden_import", "`os`"),
        ("from subprocess import run", "forbidden_import", "`subprocess`"),
        ("open('data.csv')", "forbidden_import", "`open`"),
        ("exec('x = 1')", "forbidden_import", "`exec`"),
        ("x = (", "syntax", "never closed"),
        ("!import pennylane as qml", "one_class", "defines none"),
        ("!class A:\n!    def feature_map(self): pass", "signature", "exactly one sample"),
        (
            "!class A:\n!    def __init__(self, n_qubits, c): pass\n!    def feature_map(self, x): pass",
            "signature",
            "c",
        ),
        ("!class A:\n!    def __init__(self, c=1): pass\n!    def feature_map(self, x): pass", "signature", "n_qubits"),
        ("!\x00", "syntax", "null"),
    ],
)
def test_finding(frame, body, rule, words):
    (one,) = lint_source(frame(body))
    assert one["rule"] == rule
    assert words in one["message"]
    assert one["mend"]


def test_close_names_are_offered(frame):
    (one,) = lint_source(frame("qml.IsingYX(x[0], wires=[0, 1])"))
    assert "IsingXY" in one["mend"]


def test_mend_names_the_arguments(frame):
    (one,) = lint_source(frame("qml.CRot(angle=x[0], wires=[0, 1])"))
    assert "phi, theta, omega, wires" in one["mend"]


def test_legal_maps_have_no_finding(legal):
    assert lint_source(legal.source) == []


def test_template_has_no_finding():
    assert lint_source(TEMPLATE) == []


def test_calls_that_only_a_run_can_judge_are_left_to_it(frame):
    assert lint_source(frame("a = [x[0], 0]\nqml.RX(*a)\nqml.CNOT(wires=self.pairs)\nqml.RY(**{'phi': x[1]})")) == []


def test_signatures_know_the_allowed_gates():
    assert signatures()["CRX"].wires == 2
    assert [one.name for one in signatures()["Rot"].parameters or []][:4] == ["phi", "theta", "omega", "wires"]


def test_pennylane_is_not_imported_by_the_trusted_side():
    modules = "compile, lint, base, template"
    code = f"from labwright.tools.feature_maps import {modules}\nimport sys\nassert 'pennylane' not in sys.modules"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=600)


def test_state_that_is_kept_between_calls_is_named():
    source = """
import pennylane as qml
from labwright.tools.feature_maps.base import BaseFeatureMap

CACHE = []
COUNT = 0


class Map(BaseFeatureMap):
    def __init__(self, n_qubits):
        super().__init__(n_qubits)
        self.layers = 2  # this is what __init__ is for
        self.seen = {}

    def feature_map(self, x):
        global COUNT
        COUNT += 1
        CACHE.append(x[0])
        self.calls = 1
        self.seen["x"] = x
        own = []
        own.append(1)
        angle, n = 2 * x[0], 3
        qml.RY(angle, wires=0)
"""
    assert state_written(source) == [
        "COUNT (line 17)", "CACHE (line 18)", "self.calls (line 19)", "self.seen['x'] (line 20)",
    ]  # fmt: skip
    assert state_written(TEMPLATE) == []
