"""PPTX, OpenDocument and EPUB: order, structure, what is left out."""

import io
import zipfile

import pytest
from tests.unit.knowledge.parsing.package_files import epub, notes, odf, pptx, relations, shape

from refdesk.knowledge.parsing import ParseOptions, ProtectionUnsupported, parse

_RELS = "ppt/slides/_rels/slide99.xml.rels"


def test_slides_come_in_the_order_of_the_presentation_with_their_numbers() -> None:
    parsed = parse(pptx(shape("One", 'type="title"'), shape("Two", 'type="title"')), "a.pptx")
    assert [(b.text, b.page) for b in parsed.blocks] == [("One", 1), ("Two", 2)]


def test_title_stands_first_notes_last_and_running_places_are_left_out() -> None:
    slide = (
        shape("body text")
        + shape("12", 'type="sldNum"')
        + shape("ACME", 'type="ftr"')
        + shape("T", 'type="title"')
    )
    parts = {_RELS: relations(("n", "notesSlide", "../notes.xml")), "ppt/notes.xml": notes("say this")}
    parsed = parse(pptx(slide, parts=parts), "a.pptx")
    assert [b.text for b in parsed.blocks] == ["T", "body text", "Notes: say this"]
    assert parsed.meta["running_footers"] == ["ACME"]
    assert parsed.coverage == 1.0


def test_lists_are_items_and_numbers_are_counted() -> None:
    slide = shape("a\nb", 'idx="1"') + shape("x\ny", "", '><a:buAutoNum type="arabicPeriod"/>')
    parsed = parse(pptx(slide), "a.pptx")
    assert [b.text for b in parsed.blocks] == ["- a", "- b", "1. x", "2. y"]


def test_hidden_slide_and_slide_without_title_are_kept_apart_and_reported() -> None:
    parsed = parse(pptx(shape("A", 'type="title"'), shape("loose text")), "a.pptx")
    assert [b.text for b in parsed.blocks] == ["A", "Slide 2", "loose text"]
    assert [w.code for w in parse(pptx(shape("A"), hidden=[0]), "a.pptx").warnings] == ["hidden-slide"]


def test_chart_gives_its_saved_values_as_a_table() -> None:
    point = '<c:pt idx="{}"><c:v>{}</c:v></c:pt>'
    series = (
        f"<c:ser><c:tx>{point.format(0, 'Sales')}</c:tx><c:cat>{point.format(0, 'Q1')}{point.format(1, 'Q2')}"
        f"</c:cat><c:val>{point.format(0, 5)}{point.format(1, 6)}</c:val></c:ser>"
    )
    parts = {
        _RELS: relations(("c", "chart", "../charts/c.xml")),
        "ppt/charts/c.xml": f'<c:space xmlns:c="c"><c:chart>{series}</c:chart></c:space>',
    }
    frame = '<p:graphicFrame><c:chart xmlns:c="c" r:id="c"/></p:graphicFrame>'
    parsed = parse(pptx(shape("T", 'type="title"') + frame, parts=parts), "a.pptx")
    assert parsed.blocks[1].text == "|  | Sales |\n| --- | --- |\n| Q1 | 5 |\n| Q2 | 6 |"


def test_opendocument_lists_are_numbered_and_nested() -> None:
    styles = (
        '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" '
        'style:num-suffix="."/><text:list-level-style-bullet text:level="2"/></text:list-style>'
    )
    item = "<text:list-item><text:p>{}</text:p>{}</text:list-item>"
    inner = f"<text:list>{item.format('deep', '')}</text:list>"
    body = f'<text:list text:style-name="L">{item.format("a", inner)}{item.format("b", "")}</text:list>'
    parsed = parse(odf("text", body, styles), "a.odt")
    assert [(b.text, b.level) for b in parsed.blocks] == [("1. a", 0), ("- deep", 1), ("2. b", 0)]


def test_opendocument_keeps_final_text_notes_links_and_spaces() -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
        '</text:changed-region></text:tracked-changes><text:p>a<text:s text:c="2"/>b'
        '<text:note text:note-class="footnote"><text:note-citation>9</text:note-citation><text:note-body>'
        "<text:p>the note</text:p></text:note-body></text:note> "
        '<text:a xmlns:xlink="http://www.w3.org/1999/xlink" '
        'xlink:href="https://example.org">here</text:a></text:p>'
    )
    parsed = parse(odf("text", body), "a.odt")
    assert [b.text for b in parsed.blocks] == ["a  b[^1] [here](https://example.org)", "[^1]: the note"]
    assert parsed.coverage == 1.0


def test_opendocument_sheet_takes_no_time_for_its_million_empty_rows() -> None:
    row = (
        '<table:table-row><table:table-cell table:number-columns-spanned="2">'
        "<text:p>wide</text:p></table:table-cell>"
        "<table:covered-table-cell/>"
        '<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
    )
    rows = row + '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row>'
    hidden = (
        '<style:style style:name="h" style:family="table">'
        '<style:table-properties table:display="false"/></style:style>'
    )
    table = f'<table:table table:name="Data" table:style-name="h">{rows}</table:table>'
    parsed = parse(odf("spreadsheet", table, hidden), "a.ods")
    assert [b.text for b in parsed.blocks] == ["Data", "wide"]
    assert [w.code for w in parsed.warnings] == ["hidden-sheet"]


def test_opendocument_slides_have_titles_numbers_and_notes() -> None:
    box = (
        '<draw:frame presentation:class="{}"><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>'
    )
    pages = "".join(
        f"<draw:page>{box.format('outline', f'body {n}')}{box.format('title', f'T{n}')}"
        f"<presentation:notes>{box.format('notes', f'note {n}')}</presentation:notes></draw:page>"
        for n in (1, 2)
    )
    parsed = parse(odf("presentation", pages), "a.odp")
    assert [(b.text, b.page) for b in parsed.blocks][:3] == [("T1", 1), ("body 1", 1), ("Notes: note 1", 1)]
    assert parsed.blocks[3].text == "T2"
    assert parsed.coverage == 1.0


@pytest.mark.parametrize("password", [None, "secret"])
def test_what_no_password_opens_is_not_asked_for_one(password: str | None) -> None:
    options = ParseOptions(password=password)
    lock = '<m:manifest xmlns:m="m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>'
    drm = '<e><EncryptedData><EncryptionMethod Algorithm="aes"/></EncryptedData></e>'
    for name, data, word in (
        ("a.odt", odf("text", "", manifest=lock), "without a password"),
        ("a.epub", epub({"a.xhtml": "<p>x</p>"}, encryption=drm), "copy protection"),
    ):
        with pytest.raises(ProtectionUnsupported) as refused:
            parse(data, name, options)
        assert refused.value.code == "protection-unsupported"
        assert word in str(refused.value.hint_text)


def test_a_file_of_an_archive_that_no_password_opens_is_named_as_such() -> None:
    lock = '<m:manifest xmlns:m="m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.odt", odf("text", "", manifest=lock))
    with pytest.raises(ProtectionUnsupported):
        parse(out.getvalue(), "a.zip")


def test_book_follows_its_spine_and_takes_missing_titles_from_the_contents() -> None:
    contents = (
        "<ncx><navMap><navPoint><navLabel><text>Chapter Two</text></navLabel>"
        '<content src="a.xhtml#x"/></navPoint>'
        "</navMap></ncx>"
    )
    chapters = {
        "b.xhtml": '<html><head><title/></head><body><a id="top"/><h2>First</h2><p>one</p></body></html>',
        "a.xhtml": "<html><body><p>two</p><script>never()</script></body></html>",
    }
    parsed = parse(epub(chapters, contents), "a.epub")
    assert [b.text for b in parsed.blocks] == ["First", "one", "Chapter Two", "two"]
    assert parsed.meta["title"] == "Book"


def test_comments_of_slides_and_texts_are_left_out_unless_asked_for() -> None:
    body = "<text:p>text<office:annotation><text:p>really?</text:p></office:annotation></text:p>"
    data = odf("text", body)
    assert parse(data, "a.odt").meta["comments_left_out"] == 1
    assert "really?" not in parse(data, "a.odt").text
    assert "really?" in parse(data, "a.odt", ParseOptions(include_comments=True)).text
