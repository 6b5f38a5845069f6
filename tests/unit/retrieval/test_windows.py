"""Windows around a piece: whole sentences, the piece always inside, never longer than asked if it can be."""

from hypothesis import given
from hypothesis import strategies as st

from refdesk.knowledge.splitting import pieces, sentences
from refdesk.retrieval.windows import window

SENTENCES = [f"Sentence number {n} speaks of subject {n}." for n in range(60)]
TEXT = " ".join(SENTENCES)
PARTS = ("短句。", "A longer sentence of English words. ", "无标点", "\n\n| a | b |\n", "x " * 40)


def span_of(n: int) -> tuple[int, int]:
    start = TEXT.index(SENTENCES[n])
    return start, start + len(SENTENCES[n])


def test_short_paragraph_is_returned_whole() -> None:
    assert window("One. Two.", (0, 4), 200) == (0, 9)


def test_window_grows_by_whole_sentences_on_both_sides() -> None:
    start, end = window(TEXT, span_of(30), 260)
    quoted = TEXT[start:end]
    assert quoted.startswith("Sentence number")
    assert quoted.endswith(".")
    assert SENTENCES[29] in quoted
    assert SENTENCES[31] in quoted
    assert len(quoted) <= 260


def test_window_at_the_end_grows_backwards() -> None:
    start, end = window(TEXT, span_of(59), 200)
    assert end == len(TEXT)
    assert 100 < end - start <= 200


def test_piece_longer_than_the_window_is_returned_whole() -> None:
    first, last = span_of(10)[0], span_of(20)[1]
    assert window(TEXT, (first, last), 200) == (first, last)


def test_piece_of_the_whole_paragraph_is_the_whole_paragraph() -> None:
    assert window(TEXT, (0, len(TEXT)), 200) == (0, len(TEXT))


def test_chinese_ends_at_chinese_sentence_ends() -> None:
    text = "".join(f"第{n}条规定了事项，并说明了例外。" for n in range(40))
    start, end = window(text, (text.index("第20条"), text.index("第21条")), 120)
    assert text[start:end].startswith("第")
    assert text[start:end].endswith("。")
    assert "第20条" in text[start:end]


@given(
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=40).map("".join),
    st.integers(200, 800),
    st.integers(0, 10_000),
)
def test_every_window_holds_its_piece_and_cuts_no_sentence(text: str, chars: int, seed: int) -> None:
    cut = pieces(text, limit_chars=300, overlap_chars=50)
    if not cut:
        return
    piece = cut[seed % len(cut)]
    start, end = window(text, piece, chars)
    assert start <= piece[0] or not text[start : piece[0]].strip()
    assert end >= piece[1]
    spans = sentences(text)
    touched = [span for span in spans if span[1] > piece[0] and span[0] < piece[1]]
    most = max(chars, touched[-1][1] - touched[0][0]) if touched else len(text)
    assert end - start <= max(most, chars)
    assert start in {0, *(left for left, _ in spans)}
    assert end in {len(text), *(right for _, right in spans)}
