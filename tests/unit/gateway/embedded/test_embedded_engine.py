"""The embedded model: the same vectors as the original engine, whatever the batch."""

import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.gateway.embedded.mixed_texts import TEXTS

from refdesk.gateway.embedded import DIMENSIONS, EmbeddedEmbedder
from refdesk.gateway.embedded.engine import batches, unpack_rows, usable_cores
from refdesk.gateway.embedded.graph import dequantise
from refdesk.kit.settings import Settings


def test_vectors_are_those_of_the_original_engine(embedder: EmbeddedEmbedder, original: Any) -> None:
    for ours, theirs in (
        (embedder.embed_passages(TEXTS), original.passage(TEXTS)),
        (embedder.embed_queries(TEXTS), original.query(TEXTS)),
    ):
        cosines = np.sum(ours * theirs, axis=1)
        assert cosines.min() > 0.99
        assert cosines.mean() > 0.995


def test_vectors_have_unit_length(embedder: EmbeddedEmbedder) -> None:
    vectors = embedder.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), DIMENSIONS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_vector_does_not_depend_on_the_batch(embedder: EmbeddedEmbedder) -> None:
    together = embedder.embed_passages([*TEXTS, "合同 contract " * 300])[: len(TEXTS)]
    alone = np.concatenate([embedder.embed_passages([text]) for text in TEXTS])
    # One activation that falls on the edge between two steps may be rounded the other way.
    assert np.sum(together * alone, axis=1).min() > 0.9995


def test_question_is_nearest_to_its_answer(embedder: EmbeddedEmbedder) -> None:
    questions = ["年假能不能跨年用？", "How do I reset the router?", "Where is Paris?"]
    passages = [
        "按住 RESET 孔十秒，路由器会恢复出厂设置。",
        "Paris lies on the Seine in France.",
        "未休完的年假可结转至次年三月。",
    ]
    similar = embedder.embed_queries(questions) @ embedder.embed_passages(passages).T
    assert similar.argmax(axis=1).tolist() == [2, 0, 1]


def test_no_texts_give_no_vectors(embedder: EmbeddedEmbedder) -> None:
    assert embedder.embed_queries([]).shape == (0, DIMENSIONS)


@pytest.mark.parametrize("text", ["", "\0", "\ud800", " \n\t ", "哈" * 100_000, "\0" * 1000 + "x"])
def test_odd_texts_have_finite_vectors(embedder: EmbeddedEmbedder, text: str) -> None:
    vectors = embedder.embed_passages([text])
    assert np.isfinite(vectors).all()
    assert abs(float(np.linalg.norm(vectors)) - 1.0) < 1e-5


def test_text_beyond_512_tokens_is_dropped(embedder: EmbeddedEmbedder) -> None:
    long = "word " * 600
    vectors = embedder.embed_passages([long, long + "something else entirely"])
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_several_threads_may_load_and_embed_at_once(models_dir: Path, converted: Path) -> None:
    embedder = EmbeddedEmbedder(models_dir, threads=1)
    results: list[Any] = [None] * 4

    def embed(at: int) -> None:
        results[at] = embedder.embed_passages(TEXTS[:6])

    threads = [Thread(target=embed, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_allclose(result, results[0], atol=1e-6)


def test_runtime_is_loaded_at_first_use_only() -> None:
    code = (
        "import sys; from pathlib import Path; from refdesk.gateway.embedded import EmbeddedEmbedder;"
        "EmbeddedEmbedder(Path('/nowhere')); sys.exit('onnxruntime' in sys.modules or 'onnx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_settings_name_the_cache_and_the_threads(tmp_path: Path, converted: Path) -> None:
    (tmp_path / "models").symlink_to(converted.parent)
    embedder = EmbeddedEmbedder.from_settings(Settings(data_dir=tmp_path, embedding_threads=1))
    assert embedder.embed_queries(["a"]).shape == (1, DIMENSIONS)


def test_default_leaves_one_core_to_the_others() -> None:
    assert EmbeddedEmbedder(Path("/nowhere")).threads == max(1, usable_cores() - 1)


def test_rows_of_the_word_table_are_unpacked_like_matrices() -> None:
    rows = np.random.default_rng(7).integers(0, 256, (5, 12, 18), dtype=np.uint8)
    rows[:, :, 1] &= 0x3B  # keep the fp16 scales finite
    np.testing.assert_array_equal(unpack_rows(rows), dequantise(rows))


@given(st.lists(st.integers(1, 512), max_size=80), st.integers(16, 2048))
def test_batches_hold_each_text_once_and_keep_the_budget(lengths: list[int], budget: int) -> None:
    groups = list(batches(lengths, budget=budget))
    assert sorted(index for group in groups for index in group) == list(range(len(lengths)))
    for group in groups:
        padded = len(group) * max(lengths[index] for index in group)
        assert len(group) == 1 or padded <= budget
