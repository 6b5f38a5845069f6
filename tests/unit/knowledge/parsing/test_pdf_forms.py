"""Forms: what people filled in is text of the page where it stands; empty fields and notes add nothing."""

from reportlab.pdfgen.canvas import Canvas
from tests.unit.knowledge.parsing.pdf_files import lines, pdf

from refdesk.knowledge.parsing import parse


def _form(canvas: Canvas, name: str, city: str) -> None:
    lines(canvas, ["Application to the town council"], y=760)
    lines(canvas, ["Name:"], y=700)
    canvas.acroForm.textfield(name="name", value=name, x=150, y=690, width=200, height=20)
    lines(canvas, ["City:"], y=640)
    canvas.acroForm.choice(
        name="city", value=city, options=["Berlin", "Paris"], x=150, y=630, width=120, height=20
    )
    canvas.textAnnotation("A note behind an icon", Rect=[100, 500, 120, 520])
    lines(canvas, ["Signed by the applicant."], y=400)


def test_filled_fields_are_read_once_beside_their_labels() -> None:
    parsed = parse(pdf(lambda c: _form(c, "Anna Fieldvalue", "Paris")), "a.pdf")
    assert [block.text for block in parsed.blocks] == [
        "Application to the town council",
        "Name: Anna Fieldvalue",
        "City: Paris",
        "Signed by the applicant.",
    ]
    assert parsed.coverage == 1.0


def test_links_of_a_contents_page_still_label_headings_where_nothing_was_filled_in() -> None:
    def draw(canvas: Canvas) -> None:
        for i in range(4):
            lines(canvas, [f"Chapter of {'abcd'[i]}{'xyzw'[i]}"], y=740 - 20 * i)
            canvas.linkRect("", f"c{i}", (72, 738 - 20 * i, 300, 752 - 20 * i), relative=0)
        canvas.showPage()
        for i in range(4):
            canvas.bookmarkPage(f"c{i}")
            lines(canvas, [f"Chapter of {'abcd'[i]}{'xyzw'[i]}"], y=700)
            lines(canvas, ["Words of the chapter, which end here."], y=640)
            canvas.showPage()

    parsed = parse(pdf(draw), "a.pdf")
    assert parsed.meta["headings_from"] == "links"
