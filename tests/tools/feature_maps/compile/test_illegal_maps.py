"""Every illegal map is refused, for the reason that it was written to be refused for."""

import pytest

from labwright.tools.errors import RuleError
from labwright.tools.feature_maps.compile import Compiler


def test_is_refused_with_its_rule(illegal, compiler: Compiler):
    with pytest.raises(RuleError) as refused:
        compiler.compile(illegal.source, 4, 8)
    first = refused.value.findings[0]
    assert first["rule"] == illegal.expected, first
    assert len(first["message"]) > 20
    assert "{" not in first["message"].replace(illegal.source, "")
    assert illegal.expected == "signature" or " ? " not in first["message"], first
    assert first["mend"]


def test_each_rule_names_the_line_of_the_candidate(compiler: Compiler, frame):
    source = frame("y = 1\nqml.RY(x[1], wires=1)\nqml.RX(x[0] ** 2, wires=0)")
    line = source.split("\n").index("        qml.RX(x[0] ** 2, wires=0)") + 1
    with pytest.raises(RuleError, match=rf"RX on line {line} is not linear .* x\[0\] .* it has a square"):
        compiler.compile(source, 4, 8)


@pytest.mark.parametrize("seed", range(5))
def test_a_narrow_branch_is_met_by_any_seed(compiler: Compiler, frame, seed):
    source = frame("for i in range(40):\n    qml.RY(x[i] if x[17] > 0.03 else 0.0, wires=i % 4)")
    with pytest.raises(RuleError, match="not linear"):
        compiler.compile(source, 4, 40, seed=seed)
