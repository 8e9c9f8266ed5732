"""PennyLane's operations as read from its source, against what importing it says."""

import inspect
import subprocess
import sys

import pytest

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.knowledge import operations as operations_module
from labwright.tools.knowledge.embedding import HashingEmbedder
from labwright.tools.knowledge.operations import OperationIndex


@pytest.fixture(scope="module")
def index():
    return OperationIndex.build()


def shape(signature):
    return [(each.name, each.kind, each.default is each.empty) for each in signature.parameters.values()]


def test_every_operation_of_the_source_is_as_an_import_shows_it(index):
    import pennylane
    from pennylane.operation import Operator

    real = {
        name: each for name, each in vars(pennylane).items() if inspect.isclass(each) and issubclass(each, Operator)
    }
    # FromBloq belongs to a converter, Hamiltonian is LinearCombination under another name.
    assert set(real) - set(index.names()) <= {"FromBloq", "Hamiltonian"}
    assert set(index.names()) <= set(real)
    for name in index.names():
        operation = index.operation(name)
        assert shape(operation.signature) == shape(inspect.signature(real[name])), name
        assert operation.wires == (real[name].num_wires if isinstance(real[name].num_wires, int) else None), name
        if operation.parameters is not None:
            assert operation.parameters == real[name].num_params, name


@pytest.mark.parametrize("name", list(GATES))
def test_every_allowed_gate_is_described_and_called_as_it_says(index, name):
    import pennylane as qml

    operation, spec = index.operation(name), GATES[name]
    assert (operation.wires, operation.parameters) == (spec.wires, spec.parameters)
    call = operation.call.replace("0, 1, ...", "0, 1")
    angles = dict.fromkeys(("phi", "theta", "omega", "delta"), 0.3)
    made = eval(call, {"qml": qml} | angles)
    assert made.name == name
    assert len(made.parameters) == spec.parameters
    text = index.describe(f"qml.{name}")
    assert f"Call: {operation.call}" in text
    assert len(text) > 100


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("swap two qubits", "SWAP"),
        ("ising ZZ coupling", "IsingZZ"),
        ("controlled Hadamard", "CH"),
        ("CRot", "CRot"),
        ("controlled phase shift", "ControlledPhaseShift"),
        ("arbitrary multi Z rotation", "MultiRZ"),
    ],
)
def test_a_search_in_words_finds_the_gate(index, query, expected):
    assert expected in [each.name for each in index.search(query, 4)]


def test_a_search_gives_k_or_nothing(index):
    assert len(index.search("rotation", 7)) == 7
    assert index.search("rotation", 0) == index.search("  ") == []


def test_an_unknown_name_is_refused_with_the_likeliest(index):
    with pytest.raises(InputError, match=r"no operation 'CNOTT'\. Did you mean CNOT"):
        index.signature("CNOTT")
    assert index.signature("H") == index.signature("Hadamard")


@pytest.mark.slow
def test_the_source_is_read_once_and_a_torn_file_is_replaced(tmp_path, monkeypatch):
    first = OperationIndex.build(tmp_path)
    (path,) = tmp_path.glob("operations-*.json")
    monkeypatch.setattr(operations_module, "read_operations", lambda: pytest.fail("read again"))
    assert OperationIndex.build(tmp_path).operations == first.operations
    monkeypatch.undo()
    for damage in ("{", '{"form": 1, "operations": {"RX": {"arguments": 3}}}'):
        path.write_text(damage, encoding="utf-8")
        assert OperationIndex.build(tmp_path).operations == first.operations


def test_a_store_on_disk_is_used_again(tmp_path, monkeypatch):
    first = OperationIndex(tmp_path).search("controlled rotation about z", 5)
    monkeypatch.setattr(HashingEmbedder, "embed_documents", _only_one(HashingEmbedder.embed_documents))
    assert OperationIndex(tmp_path).search("controlled rotation about z", 5) == first


def _only_one(embed):
    def checked(self, texts):
        assert len(texts) == 1, "the documents were embedded again"
        return embed(self, texts)

    return checked


def test_nothing_imports_pennylane():
    code = (
        "import sys; from labwright.tools.knowledge.operations import OperationIndex;"
        "OperationIndex.build().signature('RX'); sys.exit('pennylane' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
