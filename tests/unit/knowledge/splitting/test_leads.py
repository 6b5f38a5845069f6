"""What the index takes along of the paragraph before: only where length alone divides, and only there."""

from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.knowledge.parsing.pdf_files import lines, pdf

from refdesk.knowledge.indexing import ParagraphText, prepare_entries
from refdesk.knowledge.parsing import parse
from refdesk.knowledge.splitting import SplitSettings, lead, lead_chars, leads, split

_STRUCTURED = {"profile": "structured"}


@dataclass
class _Paragraph:
    content: str
    title: str = ""
    title_chain: list[str] = field(default_factory=list)
    is_active: bool = True
    id: UUID = field(default_factory=uuid4)


@pytest.mark.parametrize(
    ("kind", "chosen", "chars"),
    [
        ("pdf", _STRUCTURED, 64),
        ("pdf", {**_STRUCTURED, "overlap": 20}, 20),
        ("pdf", {**_STRUCTURED, "overlap": 0}, 0),
        ("pdf", {}, 0),
        ("pdf", {"overlap": 64}, 0),
        ("markdown", _STRUCTURED, 0),
        (None, _STRUCTURED, 0),
    ],
)
def test_only_structured_pdfs_take_something_along(
    kind: str | None, chosen: dict[str, object], chars: int
) -> None:
    assert lead_chars(kind, chosen) == chars


def test_a_lead_is_whole_sentences_else_whole_words() -> None:
    after = _Paragraph("next")
    assert lead(_Paragraph("First one. Second one here. Third."), after, 25) == "Second one here. Third."
    assert lead(_Paragraph("one sentence that goes on and on without an end"), after, 12) == "an end"
    assert lead(_Paragraph("退货须在七天内提出。运费由买家承担。"), after, 12) == "运费由买家承担。"
    assert lead(_Paragraph("退货须在七天内提出运费由买家承担"), after, 6) == "费由买家承担"
    assert lead(_Paragraph("short"), after, 64) == "short"
    assert lead(None, after, 64) == ""


def test_sections_with_titles_take_nothing_along() -> None:
    plain, titled = _Paragraph("The end."), _Paragraph("Begin.", title="Two")
    assert lead(plain, titled, 64) == lead(titled, plain, 64) == ""
    assert lead(plain, _Paragraph("x", title_chain=["One"]), 64) == ""


def test_inactive_paragraphs_lend_nothing() -> None:
    first, second, third = _Paragraph("One."), _Paragraph("Two.", is_active=False), _Paragraph("Three.")
    assert leads([first, second, third], 64) == {second.id: "One."}
    assert leads([first, second, third], 0) == {}


@given(st.text(alphabet="字。 a.bc\n", max_size=400), st.integers(1, 300))
def test_a_lead_is_the_end_of_the_text_within_its_length(content: str, chars: int) -> None:
    found = lead(_Paragraph(content), _Paragraph("x"), chars)
    assert len(found) <= chars
    assert content.rstrip().endswith(found)


def test_pieces_of_a_pdf_without_structure_overlap_across_its_paragraphs() -> None:
    sentence = "Goods may be returned within seven days of receipt number {}."

    def draw(canvas: object) -> None:
        for page in range(2):
            lines(canvas, [sentence.format(30 * page + n) for n in range(30)], y=760)  # type: ignore[arg-type]
            canvas.showPage()  # type: ignore[attr-defined]

    parsed = parse(pdf(draw), "a.pdf")
    paragraphs = split(parsed, SplitSettings(profile="structured")).paragraphs
    assert len(paragraphs) > 5
    assert all(len(p.content) <= 512 for p in paragraphs)
    chars = lead_chars(parsed.kind, _STRUCTURED)
    taken = [lead(a, b, chars) for a, b in zip((None, *paragraphs), paragraphs, strict=False)]
    assert taken[0] == ""
    assert all(0 < len(text) <= 64 for text in taken[1:])
    key = uuid4()
    prepared = prepare_entries(
        [
            ParagraphText(uuid4(), key, [], p.content, 1, overlap=64, lead=text)
            for p, text in zip(paragraphs, taken, strict=True)
        ]
    )
    assert len(prepared.entries) == len(paragraphs)
    for entry, paragraph, text in zip(prepared.entries, paragraphs, taken, strict=True):
        assert (entry.start, entry.end) == (0, len(paragraph.content))
        assert entry.text == (f"{text}\n{paragraph.content}" if text else paragraph.content)
