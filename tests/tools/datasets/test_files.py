"""Files that a person names: what is read from whole ones, and what is said of damaged ones."""

import gzip
import pickle
import struct
import zipfile

import numpy as np
import pytest

from labwright.tools.datasets import load_dataset
from labwright.tools.datasets.idx import idx_shape, read_idx
from labwright.tools.errors import InputError, MemoryLimitError

SIDE = 4


def idx(array, kind=8):
    return struct.pack(">HBB", 0, kind, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


@pytest.fixture
def images():
    random = np.random.default_rng(0)
    labels = np.repeat(np.arange(10, dtype=np.uint8), 12)
    return random.integers(0, 256, (120, SIDE, SIDE)).astype(np.uint8), random.permutation(labels)


@pytest.fixture
def folder(tmp_path, images):
    (tmp_path / "train-images-idx3-ubyte").write_bytes(idx(images[0]))
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(images[1])))
    return tmp_path


def test_idx_images_and_labels_plain_and_gzipped(folder, images):
    data = load_dataset(f"mnist:{folder}")
    assert np.array_equal(data.X, images[0].reshape(120, -1))
    assert np.array_equal(data.y, images[1])
    assert data.classes == tuple("0123456789")


def test_the_official_file_names_with_a_dot_are_found_too(folder):
    (folder / "train-images-idx3-ubyte").rename(folder / "train-images.idx3-ubyte")
    data = load_dataset(f"fashion-mnist:{folder}")
    assert data.classes[1] == "trouser"


def test_as_many_images_of_each_class_are_drawn_and_the_seed_decides_which(folder):
    first, again, other = (load_dataset(f"mnist:{folder}", max_samples=50, seed=seed) for seed in (0, 0, 1))
    assert np.bincount(first.y).tolist() == [5] * 10
    assert first.sha256 == again.sha256 != other.sha256
    assert "50 of the 120" in first.notes[0]


def test_a_class_with_too_few_images_for_a_balanced_draw_is_named(tmp_path):
    labels = np.array([0] * 50 + [1] * 3, dtype=np.uint8)
    (tmp_path / "train-images-idx3-ubyte").write_bytes(idx(np.ones((53, 2, 2), dtype=np.uint8)))
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(idx(labels))
    with pytest.raises(InputError, match="20 a class, but class 1 has 3"):
        load_dataset(f"mnist:{tmp_path}", max_samples=40)


def damage(content):
    """Each kind of damage, and what is said of it."""
    return {
        "another magic": (b"\x00\x00\x0d\x03" + content[4:], "begins with 0x00000d03"),
        "another number of dimensions": (b"\x00\x00\x08\x01" + content[4:], "in 3 dimensions"),
        "zeros that are not zero": (b"\x1f\x8b" + content[2:], "begins with 0x1f8b"),
        "no byte at all": (b"", "cut short: it has 0 bytes"),
        "cut in the header": (content[:9], "header ends after 9 bytes"),
        "cut in the data": (content[:-5], "cut short: its header promises"),
        "bytes that follow": (content + b"\x00", "has bytes after the"),
    }


@pytest.mark.parametrize("kind", damage(b"\x00" * 20))
@pytest.mark.parametrize("zipped", [False, True])
def test_a_damaged_idx_file_is_refused_with_the_reason(tmp_path, images, kind, zipped):
    content, complaint = damage(idx(images[0]))[kind]
    path = tmp_path / ("file.gz" if zipped else "file")
    path.write_bytes(gzip.compress(content) if zipped else content)
    with pytest.raises(InputError, match=complaint):
        read_idx(path, 3)


# With ids and a fixed time: a test's name must be the same in every process that collects it.
@pytest.mark.parametrize(
    "content", [b"no gzip at all", gzip.compress(b"x" * 500, mtime=0)[:-20], b""], ids=["no gzip", "cut", "empty"]
)
def test_a_damaged_gzip_file_is_refused(tmp_path, content):
    path = tmp_path / "images.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"not a whole gzip file|cut short"):
        read_idx(path, 3)


def test_a_gzip_file_with_a_flipped_byte_is_refused(tmp_path, images):
    content = bytearray(gzip.compress(idx(images[0])))
    content[len(content) // 2] ^= 0xFF
    path = tmp_path / "images.gz"
    path.write_bytes(bytes(content))
    with pytest.raises(InputError):
        read_idx(path, 3)


def test_images_and_labels_of_different_numbers_are_refused(folder, images):
    (folder / "train-images-idx3-ubyte").write_bytes(idx(images[0][:100]))
    with pytest.raises(InputError, match=r"100 images, but .* has 120 labels"):
        load_dataset(f"mnist:{folder}")


def test_the_memory_limit_is_judged_by_the_header_before_the_data_are_read(tmp_path):
    header = struct.pack(">HBB3I", 0, 8, 3, 60_000, 2800, 2800)  # nothing follows: reading would complain of that
    (tmp_path / "train-images-idx3-ubyte").write_bytes(header)
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(struct.pack(">HBBI", 0, 8, 1, 60_000))
    assert idx_shape(tmp_path / "train-images-idx3-ubyte", 3) == (60_000, 2800, 2800)
    with pytest.raises(MemoryLimitError, match="may use 4096 MB"):
        load_dataset(f"mnist:{tmp_path}")


def test_missing_folders_and_files_are_named(tmp_path):
    with pytest.raises(InputError, match="there is no folder '/nowhere'"):
        load_dataset("mnist:/nowhere")
    with pytest.raises(InputError, match="has no train-images-idx3-ubyte"):
        load_dataset(f"mnist:{tmp_path}")
    with pytest.raises(InputError, match="Say where its files are: cifar-10:FOLDER"):
        load_dataset("cifar-10")
    with pytest.raises(InputError, match=r"has no data_batch_1\.bin"):
        load_dataset(f"cifar-10:{tmp_path}")


def write_cifar(folder, n=40):
    random = np.random.default_rng(1)
    for number in range(1, 6):
        records = random.integers(0, 256, (n, 3073)).astype(np.uint8)
        records[:, 0] = np.arange(n) % 10
        (folder / f"data_batch_{number}.bin").write_bytes(records.tobytes())


def test_the_binary_version_of_cifar_10(tmp_path):
    write_cifar(tmp_path)
    data = load_dataset(f"cifar-10:{tmp_path}", max_samples=100)
    assert data.X.shape == (100, 3072)
    assert data.classes[0] == "airplane"
    assert np.bincount(data.y).tolist() == [10] * 10


def test_a_record_of_cifar_10_that_is_cut_short_is_refused(tmp_path):
    write_cifar(tmp_path)
    with (tmp_path / "data_batch_3.bin").open("ab") as stream:
        stream.write(b"\x00" * 7)
    with pytest.raises(InputError, match="not a whole number of records of 3073 bytes"):
        load_dataset(f"cifar-10:{tmp_path}")


def test_a_label_of_cifar_10_beyond_the_classes_is_refused(tmp_path):
    write_cifar(tmp_path)
    (tmp_path / "data_batch_1.bin").write_bytes(b"\x0b" + b"\x00" * 3072)
    with pytest.raises(InputError, match="has the label 11, but only 10 classes"):
        load_dataset(f"cifar-10:{tmp_path}", max_samples=None)


def test_the_pickled_version_of_cifar_10_is_never_opened(tmp_path):
    opened = tmp_path / "opened"
    (tmp_path / "data_batch_1").write_bytes(pickle.dumps(Trap(opened)))
    with pytest.raises(InputError, match="pickled and is never opened"):
        load_dataset(f"cifar-10:{tmp_path}")
    assert not opened.exists()


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (type(self.path).write_text, (self.path, "opened"))


def test_arrays_of_objects_are_refused_and_never_unpickled(tmp_path):
    opened = tmp_path / "opened"
    labels = np.array([Trap(opened)] * 3, dtype=object)
    np.savez(tmp_path / "trap.npz", X=np.eye(3), y=labels)
    with pytest.raises(InputError, match=r"array of objects \(y\)"):
        load_dataset(str(tmp_path / "trap.npz"))
    assert not opened.exists()


@pytest.mark.parametrize("ending", [".pkl", ".pickle", ".npy", ".joblib"])
def test_files_that_may_run_code_are_refused_by_their_ending(tmp_path, ending):
    path = tmp_path / f"data{ending}"
    path.write_bytes(pickle.dumps(Trap(tmp_path / "opened")))
    with pytest.raises(InputError, match="never opened"):
        load_dataset(str(path))
    assert not (tmp_path / "opened").exists()


def test_an_archive_of_images_with_text_labels_and_groups(tmp_path):
    X = np.random.default_rng(2).random((12, 2, 3))
    y = np.array(["cat", "dog"] * 6)
    np.savez_compressed(tmp_path / "own.npz", images=X, labels=y, groups=np.arange(12) // 2)
    data = load_dataset(str(tmp_path / "own.npz"))
    assert data.X.shape == (12, 6)
    assert data.classes == ("cat", "dog")
    assert data.groups.tolist() == (np.arange(12) // 2).tolist()


@pytest.mark.parametrize(
    ("arrays", "complaint"),
    [
        ({"a": np.eye(2), "b": np.arange(2)}, "has the keys a, b. Name the arrays X and y"),
        ({"X": np.eye(3), "y": np.arange(2)}, "3 samples but 2 labels"),
        ({"X": np.eye(3), "y": np.eye(3)}, "y shape"),
        ({"X": np.zeros((0, 4)), "y": np.zeros(0)}, "0 samples of 4 features"),
        ({"X": np.array([["a", "b"]] * 2), "y": np.arange(2)}, "Give real numbers"),
        ({"X": np.eye(2) * 1j, "y": np.arange(2)}, "Give real numbers"),
        ({"X": np.array([[1.0, np.nan], [0, 1]]), "y": np.arange(2)}, "sample 0, feature 1"),
        ({"X": np.array([[1.0, 2], [-np.inf, 1]]), "y": np.arange(2)}, "sample 1, feature 0"),
        ({"X": np.eye(2), "y": np.zeros(2)}, "All labels of .* are 0"),
        ({"X": np.eye(2), "y": np.array([0.5, 1])}, "labels such as 0.5"),
        ({"X": np.eye(2), "y": np.array([np.nan, 1])}, "labels that are NaN"),
        ({"X": np.eye(2), "y": np.array([1j, 1])}, "labels of type complex128"),
        ({"X": np.ones((4, 3)), "y": np.arange(4)}, "Every feature of .* is constant"),
        ({"X": np.eye(4) * 1e308, "y": np.arange(4)}, "too large"),
        ({"X": np.eye(4) * 1e-300, "y": np.arange(4)}, "too close"),
        ({"X": np.eye(3), "y": np.arange(3), "groups": np.arange(2)}, "`groups` has shape"),
    ],
)
def test_what_is_wrong_with_an_archive_is_said(tmp_path, arrays, complaint):
    np.savez(tmp_path / "own.npz", **arrays)
    with pytest.raises(InputError, match=complaint):
        load_dataset(str(tmp_path / "own.npz"))


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 broken"])
def test_a_file_that_is_no_archive_is_refused(tmp_path, content):
    (tmp_path / "own.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"not a readable \.npz file"):
        load_dataset(str(tmp_path / "own.npz"))


def test_the_header_of_an_archive_is_judged_before_its_data_are_read(tmp_path):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 100000), }"
    header += b" " * (118 - len(header) - 1) + b"\n"
    with zipfile.ZipFile(tmp_path / "huge.npz", "w") as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        archive.writestr("y.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    with pytest.raises(MemoryLimitError):
        load_dataset(str(tmp_path / "huge.npz"))


def test_a_table_with_its_label_first_and_text_labels(tmp_path):
    (tmp_path / "own.csv").write_text("Class;a;b\nyes;1;2,5\n".replace("2,5", "2.5") + "no;3;-4e-1\n\n")
    data = load_dataset(str(tmp_path / "own.csv"))
    assert data.X.tolist() == [[1.0, 2.5], [3.0, -0.4]]
    assert data.classes == ("no", "yes")
    assert data.y.tolist() == [1, 0]


def test_the_last_column_holds_the_labels_otherwise_and_numbers_sort_as_numbers(tmp_path):
    (tmp_path / "own.csv").write_text("a,b,kind\n1,2,10\n2,1,9\n0,0,10\n")
    data = load_dataset(str(tmp_path / "own.csv"))
    assert data.classes == ("9", "10")
    assert data.y.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        ("a,b,y\n", "has a header but no samples"),
        ("1,2,3\n4,5,6\n", "first line of .* holds numbers"),
        ("a\n1\n", "has one column"),
        ("a,b,y\n1,2,0\n1,red,1\n", "Line 3 of own.csv, column b: 'red' is not a number"),
        ("a,b,y\n1,2,0\n\n1,,1\n", "Line 4 of own.csv, column b: '' is not a number"),
        ("a,b,y\n1,2,0\n1,1\n", "Line 3 of own.csv has 2 cells, but the header has 3"),
        ("a,b,y\n1,2,0\n1,1,\n", "Line 3 of own.csv has no label"),
        ("a,b,y\n1,2,0\n1,nan,1\n", "NaN or infinite"),
        ("a,b,y\n1,2,0\n1,3,0\n", "All labels"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_with_its_line(tmp_path, text, complaint):
    (tmp_path / "own.csv").write_text(text)
    with pytest.raises(InputError, match=complaint):
        load_dataset(str(tmp_path / "own.csv"))


def test_a_table_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "own.csv").write_bytes(b"a,b,y\n\xff\xfe\x00,2,1\n")
    with pytest.raises(InputError, match="not a CSV table in UTF-8"):
        load_dataset(str(tmp_path / "own.csv"))


@pytest.mark.parametrize(
    "text", ["a," * 1_000_000, "a,b,y\n" + "1,2,0\n1,2,1\n" * 20_000], ids=["one endless line", "many lines"]
)
def test_a_large_table_is_judged_by_its_size_before_it_is_read(tmp_path, text):
    (tmp_path / "own.csv").write_text(text)
    with pytest.raises(MemoryLimitError, match="may use 1 MB"):
        load_dataset(str(tmp_path / "own.csv"), memory_mb=1.0)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("digit", "Did you mean digits"),
        ("digits-augmentd", "Did you mean digits-augmented"),
        ("fashion-mnst:here", "Did you mean fashion-mnist"),
        ("something", "It may be digits, digits-augmented, digits-quantum, digits-observable"),
        ("", "It may be"),
        ("nothing.csv", "There is no file nothing.csv"),
        ("mnist:", "Give the folder"),
    ],
)
def test_an_unknown_name_is_answered_with_what_may_be_meant(name, complaint):
    with pytest.raises(InputError, match=complaint):
        load_dataset(name)


def test_a_folder_is_not_taken_for_a_file(tmp_path):
    (tmp_path / "own.npz").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        load_dataset(str(tmp_path / "own.npz"))
