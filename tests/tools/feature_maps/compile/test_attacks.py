"""Code that tries to see or change what is outside, or to fake its circuit, gets nothing by it."""

import os
import socket
import threading

import pytest

from labwright.tools.errors import RuleError
from labwright.tools.feature_maps.compile import Compiler
from labwright.tools.feature_maps.gates import GATES

HONEST = "for i in range(8):\n    qml.RY(x[i], wires=i % 4)"


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory):
    """What an attack would find: a secret in the environment, one in a file, and somebody who listens."""
    secret = tmp_path_factory.mktemp("outside") / "secret.txt"
    secret.write_text("s3cret")
    listener = socket.create_server(("127.0.0.1", 0))
    visits = []

    def listen():
        while True:
            try:
                connection, address = listener.accept()
            except OSError:
                return
            visits.append(address)
            connection.close()

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    os.environ["LABWRIGHT_TEST_SECRET"] = "s3cret"
    yield {"{secret}": str(secret), "{port}": str(listener.getsockname()[1]), "visits": visits}
    del os.environ["LABWRIGHT_TEST_SECRET"]
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(5)


def armed(attack, surroundings, frame):
    """The attack at the import of the module; its success would show as an offset of 2 rad."""
    body = attack.source.split("def feature_map(self, x: np.ndarray) -> None:\n", 1)[1]
    lines = [line[8:] for line in body.rstrip().split("\n")]
    head = "import numpy as np\ndef attack():\n    seen = False\n"
    head += "".join(f"    {line}\n" for line in lines) + "    return bool(seen)\n"
    head += "try:\n    seen = attack()\nexcept Exception:\n    seen = False\n"
    for name in ("{secret}", "{port}"):
        head = head.replace(name, surroundings[name])
    return head + frame("qml.RY(x[0] + 2.0 * seen, wires=0)")


def outcome(compiler, source):
    """The circuit, and the rule that the code broke; one of them is None."""
    try:
        return compiler.compile(source, 4, 8).circuit, None
    except RuleError as refused:
        return None, refused.findings[0]["rule"]


def test_attack_finds_nothing(attack, surroundings, frame, compiler: Compiler, sandbox):
    if sandbox.level == "rlimits":
        pytest.skip("nothing on this machine confines")
    other = "# other_candidates_mark\n" + frame(HONEST)
    expected = compiler.compile(other, 4, 8).circuit.digest()
    source = armed(attack, surroundings, frame)
    for _ in range(2):  # the second time it may find what the first has left
        circuit, rule = outcome(compiler, source)
        assert rule in (None, "killed", "not_a_circuit", "reaches_out", "import_failed", "crashed")
        assert circuit is None or circuit.gates[0].angles[0].offset == 0.0, "the attack has seen what it looked for"
    assert surroundings["visits"] == []
    assert compiler.compile(other, 4, 8).circuit.digest() == expected, "the next candidate is not what it was"


def test_success_of_an_attack_would_show(surroundings, frame, compiler: Compiler):
    class Attack:
        source = frame("seen = 1 + 1 == 2")

    circuit = compiler.compile(armed(Attack, surroundings, frame), 4, 8).circuit
    assert circuit.gates[0].angles[0].offset == 2.0


def test_fake_is_inert_or_refused(fake, frame, compiler: Compiler):
    circuit, rule = outcome(compiler, fake.source)
    assert (rule or "inert") == fake.expected
    assert circuit is None or all(gate.name in GATES and max(gate.wires) < 4 for gate in circuit.gates)
    after = compiler.compile(frame(HONEST), 4, 8).circuit
    assert [gate.name for gate in after.gates] == ["RY"] * 8
