"""What the quoting answerer takes from paragraphs: the right sentences, whole, in their original wording."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.chat.selection import MOST_QUOTED, candidates, select
from refdesk.chat.units import units
from refdesk.kit.ids import new_id
from refdesk.retrieval import Hit

TABLE = "Ports:\n\n| Port | Use |\n|---|---|\n| 8443 | Console |\n| 9090 | Metrics |\n"
CODE = "Check it:\n\n```bash\nctl status --json\n```\n"
STEPS = "To deploy the gateway:\n1. Install Docker.\n2. Start the stack.\n3. Open port 8443."


def hit(content: str, *, title: str = "", score: float = 1.0) -> Hit:
    return Hit(
        new_id(), new_id(), new_id(), "manual.md", title, (), content, None, [],
        score, 0.8, None, None, (0, len(content)),
    )  # fmt: skip


def quoted(query: str, *contents: Any) -> list[str]:
    hits = [content if isinstance(content, Hit) else hit(content) for content in contents]
    return [part.text for part in select(query, candidates(query, hits), None)]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(unit.kind, text[unit.start : unit.end]) for unit in units(text)]


def test_units_of_tables_code_and_lists() -> None:
    assert kinds(TABLE)[1:] == [("row", "| 8443 | Console |"), ("row", "| 9090 | Metrics |")]
    assert kinds(CODE)[1] == ("code", "ctl status --json")
    assert [kind for kind, _ in kinds(STEPS)] == ["sentence", "item", "item", "item"]
    assert units(TABLE)[1].head is not None
    assert units(CODE)[1].language == "bash"


@pytest.mark.parametrize("text", ["", "\n\n", "|", "```", "# Title", "```\n\n```", "| a |\n|---|"])
def test_texts_without_units(text: str) -> None:
    assert all(text[unit.start : unit.end].strip() for unit in units(text))


@given(st.text(alphabet="a。.|`-#1 \n：:", max_size=80))
def test_units_are_spans_in_order_without_overlap(text: str) -> None:
    found = units(text)
    assert all(0 <= unit.start < unit.end <= len(text) for unit in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_the_sentence_with_the_words_of_the_question_is_chosen() -> None:
    text = "连接空闲 300 秒会断开。标准版最多支持 100 个并发连接。超限返回 ERR-4290。"
    assert quoted("标准版支持多少并发连接", text) == ["标准版最多支持 100 个并发连接。"]


def test_a_row_is_chosen_by_its_cells() -> None:
    assert quoted("What is port 9090 used for?", TABLE)[0] == "| 9090 | Metrics |"


def test_a_list_comes_with_the_sentence_that_opens_it() -> None:
    assert quoted("How do I deploy the gateway?", STEPS) == [
        "To deploy the gateway:",
        "1. Install Docker.",
        "2. Start the stack.",
        "3. Open port 8443.",
    ]


def test_a_sentence_that_begins_with_a_pronoun_brings_the_one_before() -> None:
    text = "The relay has two coils. It switches 230 V loads. Storage is dry."
    assert quoted("Which loads are switched at 230 V?", text) == [
        "The relay has two coils.",
        "It switches 230 V loads.",
    ]


def test_the_same_sentence_in_two_documents_is_quoted_once() -> None:
    text = "The warranty lasts 24 months."
    assert quoted("How long is the warranty?", hit(text), hit(text, score=0.9)) == [text]


def test_the_heading_lends_its_words() -> None:
    under = hit("It is 24 months for all parts.", title="Warranty")
    other = hit("Delivery takes 24 days for parts.", title="Delivery", score=0.99)
    assert quoted("How long is the warranty?", under, other)[0] == "It is 24 months for all parts."
    pool = candidates("How long is the warranty?", [under, other])
    assert [part.needs_heading for part in pool] == [True, False]


def test_few_sentences_are_quoted_however_many_fit() -> None:
    text = " ".join(f"The valve number {n} opens slowly." for n in range(40))
    assert len(quoted("Which valve opens slowly?", text)) <= MOST_QUOTED


@given(st.text(max_size=60), st.lists(st.text(max_size=120), max_size=4))
def test_any_quotation_is_original_wording(query: str, contents: list[str]) -> None:
    hits = [hit(content) for content in contents]
    for part in select(query, candidates(query, hits), None):
        assert part.text
        assert part.text in part.hit.content
