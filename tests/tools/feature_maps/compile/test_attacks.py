"""Code that tries to see or change what is outside, or to fake its circuit, gets nothing by it."""

import os
import socket
import threading

import pytest

from labwright.tools.errors import RuleError
from labwright.tools.feature_maps.compile import Compiler
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.sandbox.base import Limits

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


@pytest.fixture(scope="session")
def quick_compiler(compiler: Compiler):
    """The same server, with little patience: endless loops shall not make the tests endless."""
    quick = Compiler(compiler._sandbox, Limits(cpu_seconds=2.0, wall_seconds=2.0, memory_mb=4096, output_kb=65_536))
    yield quick
    quick.close()


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


def test_attack_finds_nothing(attack, surroundings, frame, quick_compiler: Compiler):
    other = "# other_candidates_mark\n" + frame(HONEST)
    expected = quick_compiler.compile(other, 4, 8).circuit.digest()
    source = armed(attack, surroundings, frame)
    for _ in range(2):  # the second time it may find what the first has left
        try:
            circuit = quick_compiler.compile(source, 4, 8).circuit
        except RuleError as refused:
            assert refused.findings[0]["rule"] in ("killed", "not_a_circuit", "reaches_out", "import_failed", "crashed")
        else:
            assert circuit.gates[0].angles[0].offset == 0.0, "the attack has seen what it looked for"
    assert surroundings["visits"] == []
    assert quick_compiler.compile(other, 4, 8).circuit.digest() == expected, "the next candidate is not what it was"


def test_success_of_an_attack_would_show(surroundings, frame, quick_compiler: Compiler):
    class Attack:
        source = frame("seen = 1 + 1 == 2")

    circuit = quick_compiler.compile(armed(Attack, surroundings, frame), 4, 8).circuit
    assert circuit.gates[0].angles[0].offset == 2.0


def test_fake_is_inert_or_refused(fake, frame, quick_compiler: Compiler):
    try:
        circuit = quick_compiler.compile(fake.source, 4, 8).circuit
    except RuleError as refused:
        assert refused.findings[0]["rule"] == fake.expected, refused.findings
    else:
        assert fake.expected == "inert"
        assert all(gate.name in GATES and max(gate.wires) < 4 for gate in circuit.gates)
    after = quick_compiler.compile(frame(HONEST), 4, 8).circuit
    assert [gate.name for gate in after.gates] == ["RY"] * 8
