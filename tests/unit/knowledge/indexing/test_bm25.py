"""BM25 weights, terms, scripts and the wire form."""

import struct
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.knowledge.indexing import (
    EntryKind,
    ParagraphText,
    Script,
    bm25,
    dominant_script,
    idf,
    prepare_entries,
    query_scripts,
    salt_of,
    sparsevec_text,
    term_of,
    wire,
)

counts = st.lists(st.integers(1, 400), min_size=1, max_size=30)


@given(counts, st.data(), st.integers(1, 5000), st.floats(1, 2000))
def test_counts_are_recovered_from_stored_weights(
    values: list[int], data: st.DataObject, length: int, average: float
) -> None:
    in_title = np.array([data.draw(st.booleans()) for _ in values], dtype=np.bool_)
    given_counts = np.array(values, dtype=np.float64)
    given_counts[in_title] -= 1  # a term may stand in the titles only
    # The database keeps single precision.
    stored = bm25.weights(given_counts, in_title, length, average).astype(np.float32).astype(np.float64)
    recovered = bm25.counts_of(stored, in_title, length, average).tolist()
    assert recovered == pytest.approx(given_counts.tolist(), abs=max(values) * 0.02)


@given(st.integers(1, 50), st.booleans(), st.integers(1, 1000), st.floats(1, 1000))
def test_more_of_a_term_weighs_more_and_never_too_much(
    count: int, in_title: bool, length: int, average: float
) -> None:
    twice = np.array([in_title, in_title])
    low, high = bm25.weights(np.array([count, count + 1], dtype=np.float64), twice, length, average)
    assert 0 < low < high < bm25.K1 + 1


def test_a_short_text_gains_nothing_from_the_titles_above_it() -> None:
    """Of paragraphs under one title, the one that speaks of the subject comes first."""
    title = np.array([True])
    long = bm25.weights(np.array([1.0]), title, length=300, average_length=100)
    short = bm25.weights(np.array([0.0]), title, length=2, average_length=100)
    assert long > short
    assert short == bm25.weights(np.array([0.0]), title, length=300, average_length=100)


def test_below_half_the_average_shorter_is_not_better() -> None:
    nowhere = np.array([False])
    tiny, small, mean = (
        float(bm25.weights(np.array([1.0]), nowhere, length, 100)[0]) for length in (3, 50, 100)
    )
    assert tiny == small > mean


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_rarity_is_never_negative_and_falls_with_frequency(one: int, other: int) -> None:
    few, many = sorted((one, other))
    assert idf(10_000, few) >= idf(10_000, many) > 0


@given(st.text(min_size=1, max_size=40))
def test_terms_fit_a_sparsevec_and_a_salted_one_an_integer(token: str) -> None:
    term = term_of(token)
    assert 1 <= term <= 999_999_937
    salt = salt_of(uuid4())
    assert 0 <= term ^ salt < 2**31
    assert (term ^ salt) ^ salt == term


@pytest.mark.parametrize(
    ("text", "script", "scripts"),
    [
        ("劳动合同如何续签", Script.HAN, {Script.HAN}),
        ("how to renew a contract", Script.LATIN, {Script.LATIN}),
        ("ERR-1042 是什么意思", Script.HAN, {Script.HAN, Script.LATIN}),
        ("如何配置 Kubernetes 的 ingress", Script.HAN, {Script.HAN, Script.LATIN}),
        ("12345 ---", Script.NONE, set[Script]()),
        ("ひらがなとカタカナ", Script.KANA, {Script.KANA}),
    ],
)
def test_scripts_of_texts(text: str, script: Script, scripts: set[Script]) -> None:
    assert query_scripts(text) == scripts
    assert dominant_script(text) == script or len(scripts) > 1


def test_every_piece_is_read_under_its_titles_and_pieces_cover_the_paragraph() -> None:
    content = "".join(f"第{i}条规定了事项的处理办法。" for i in range(200))
    paragraph = ParagraphText(uuid4(), uuid4(), ["手册", "上传"], content, 1)
    prepared = prepare_entries([paragraph])
    assert len(prepared.entries) > 2
    covered = set[int]()
    for entry in prepared.entries:
        assert entry.text == "手册 > 上传\n" + content[entry.start : entry.end]
        assert entry.length == sum(entry.counts.values())
        assert entry.counts[term_of("手册")] == 0
        assert term_of("手册") in entry.title_terms
        covered |= set(range(entry.start, entry.end))
    assert covered == set(range(len(content)))
    assert prepared.texts == [entry.text for entry in prepared.entries]


def test_each_question_of_a_paragraph_is_an_entry_of_its_own() -> None:
    paragraph = ParagraphText(uuid4(), uuid4(), ["差旅"], "按标准报销。", 1, questions=["住酒店能报多少钱？"])
    piece, question = prepare_entries([paragraph]).entries
    assert (piece.kind, question.kind) == (EntryKind.PIECE, EntryKind.QUESTION)
    assert question.text == "住酒店能报多少钱？"
    assert (question.start, question.end) == (0, len(paragraph.content))
    assert term_of("酒店") in question.counts
    assert not question.title_terms


def test_the_wire_form_is_what_postgresql_reads() -> None:
    sparse = wire.sparsevec(np.array([1, 5]), np.array([0.5, 2.0]))
    assert struct.unpack("!iii", sparse[:12]) == (1_000_000_000, 2, 0)
    assert struct.unpack("!ii", sparse[12:20]) == (0, 4)
    assert struct.unpack("!ff", sparse[20:]) == (0.5, 2.0)
    assert struct.unpack("!iiiiiiiii", wire.integers(np.array([7, 8]))) == (1, 0, 23, 2, 1, 4, 7, 4, 8)
    assert wire.integers(np.array([], dtype=np.int64)) == struct.pack("!iii", 0, 0, 23)
    half = wire.halfvec(np.array([1.0, -2.0], dtype=np.float32))
    assert half == struct.pack("!hh", 2, 0) + np.array([1.0, -2.0], dtype=">f2").tobytes()
    assert sparsevec_text({9: 0.5, 2: 1.0}) == "{2:1,9:0.5}/1000000000"
