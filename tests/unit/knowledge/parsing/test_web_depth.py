"""HTML and EPUB: pictures, code, marks that tools add, ruby, encodings of pages."""

# ruff: noqa: E501 - markup is read better in one piece
import base64

import pytest
from tests.unit.knowledge.parsing.package_files import package
from tests.unit.knowledge.parsing.pictures import picture_of

from refdesk.knowledge.parsing import Parsed, ParseOptions, parse

_INVOICE = picture_of("INVOICE 2041")
_IMG = f'<img src="data:image/png;base64,{base64.b64encode(_INVOICE).decode()}">'
_TOTAL = picture_of("TOTAL 4711")
_IMG_2 = f'<img src="data:image/png;base64,{base64.b64encode(_TOTAL).decode()}">'


def _read(body: str, options: ParseOptions | None = None) -> Parsed:
    return parse(f"<!doctype html><html><body>{body}</body></html>".encode(), "a.html", options)


def _texts(parsed: Parsed) -> list[str]:
    return [block.text.replace(" ", "") if block.confidence else block.text for block in parsed.blocks]


def test_pictures_are_read_where_they_stand_also_in_headings_and_cells() -> None:
    parsed = _read(
        f"<h1>Head {_IMG}</h1><p>text</p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>{_IMG_2}</td></tr>"
        "</table><p>end</p>"
    )
    assert _texts(parsed) == [
        "Head",
        "INVOICE2041",
        "text",
        "| a | b |\n| --- | --- |\n| 1 |  |",
        "TOTAL4711",
        "end",
    ]
    assert parsed.coverage == 1.0


def test_picture_out_of_reach_leaves_a_mark_where_it_stands() -> None:
    parsed = _read(
        "<p>text <img src='/a.png'></p><table><tr><td>1</td><td><img src='b.png'></td></tr></table><p>end</p>"
    )
    assert [b.pictures for b in parsed.blocks] == [1, 1, 0]


def test_code_keeps_its_lines_and_loses_their_numbers() -> None:
    parsed = _read(
        "<pre>a<br>  b</pre><table class='highlighttable'><tr><td class='linenos'><pre>1\n2</pre></td>"
        "<td class='code'><pre>x = 1\ny = 2</pre></td></tr></table><p>The rest of the page is long enough.</p>"
    )
    assert [(b.kind, b.text) for b in parsed.blocks] == [
        ("code", "a\n  b"),
        ("code", "x = 1\ny = 2"),
        ("paragraph", "The rest of the page is long enough."),
    ]
    assert parsed.coverage == 1.0


def test_headings_lose_the_signs_that_link_to_them_and_keep_their_own_links() -> None:
    parsed = _read(
        "<h1>One<br>two<a class='headerlink' href='#one'>¶</a></h1><h2><a href='#x'>#</a> Sub</h2>"
        "<h3><a href='#c'>C</a></h3>"
    )
    assert _texts(parsed) == ["One two", "Sub", "C"]
    assert parsed.coverage == 1.0


def test_ruby_stands_in_brackets_once() -> None:
    plain, drawn = "<ruby>漢<rt>かん</rt></ruby>", "<ruby>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>"
    assert _read(f"<p>{plain}{drawn}</p>").text == "漢(かん)字(じ)"
    cells = f"<table><tr><th>a</th><th>b</th></tr><tr><td>{plain}</td><td>1</td></tr></table>"
    assert "| 漢(かん) | 1 |" in _read(cells).text


def test_nested_and_adjacent_tables_stay_in_place_and_apart() -> None:
    inner = "<table><tr><td>x</td><td>y</td></tr></table>"
    rows = f"<tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2{inner}</td></tr><tr><td>3</td><td>4</td></tr>"
    parsed = _read(
        f"<table>{rows}</table><table><tr><td>c</td><td>d</td></tr><tr><td>5</td><td>6</td></tr></table>"
    )
    assert [b.kind for b in parsed.blocks] == ["table", "table"]
    assert "| 1 | 2<br>x; y; |" in parsed.blocks[0].text
    assert parsed.coverage == 1.0


def test_list_in_a_cell_keeps_its_numbers() -> None:
    cell = "<ol start=3><li>one</li><li>two</li></ol>"
    parsed = _read(f"<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>{cell}</td></tr></table>")
    assert "| 1 | 3. one<br>4. two |" in parsed.text


def test_templates_entities_and_words_cut_by_soft_hyphens() -> None:
    parsed = _read(
        "<template><p>never</p></template><noscript>no</noscript><p>Caf&eacute; &lt;b&gt; in&shy;dex&#8203;</p>"
    )
    assert parsed.text.replace("\u00ad", "").replace("\u200b", "") == "Café <b> index"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gbk", "退货政策说明：客户在收到商品之后的七天内可以申请退货。"),
        ("gb18030", "退货政策说明：客户在收到商品之后的七天内可以申请退货𠮷。"),
        ("big5", "退貨政策說明：客戶在收到商品之後的七天內可以申請退貨，我們會處理。"),
        ("shift_jis", "返品についてのご案内です。商品を受け取ってから七日以内です。"),
        ("utf-16", "退货政策说明：客户在收到商品之后的七天内可以申请退货。"),
        ("utf-16-le", "退货政策说明：客户在收到商品之后的七天内可以申请退货。"),
        ("utf-16-be", "退货政策说明：客户在收到商品之后的七天内可以申请退货。"),
        ("latin-1", "Les élèves reçoivent à l'école un café très sucré où l'été dure près de Noël."),
    ],
)
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.txt", "{}\n"),
        ("a.md", "# H\n\n{}\n"),
        ("a.html", "<html><body><p>{}</p></body></html>"),
        ("a.csv", "id,text\n1,{}\n"),
    ],
)
def test_undeclared_encoding_is_found_in_every_kind_of_text(
    encoding: str, text: str, name: str, form: str
) -> None:
    parsed = parse(form.format(text).encode(encoding), name)
    assert text in parsed.text
    assert "invalid-characters" not in {w.code for w in parsed.warnings}
    assert parsed.coverage == 1.0


def _book(chapters: dict[str, str], extra: dict[str, bytes], spine: str = "", items: str = "") -> bytes:
    listed = "".join(f'<item id="c{i}" href="{name}"/>' for i, name in enumerate(chapters)) + items
    order = spine or "".join(f'<itemref idref="c{i}"/>' for i in range(len(chapters)))
    parts: dict[str, str | bytes] = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OEBPS/b.opf"/></rootfiles></container>',
        "OEBPS/b.opf": f"<package><manifest>{listed}</manifest><spine>{order}</spine></package>",
        **{f"OEBPS/{name}": text for name, text in chapters.items()},
        **{f"OEBPS/{name}": content for name, content in extra.items()},
    }
    return package(parts, ("mimetype", "application/epub+zip"))


def test_pictures_of_a_book_are_read_in_their_chapter_also_those_in_a_drawing() -> None:
    cover = '<svg xmlns="s" xmlns:xlink="x" viewBox="0"><image width="1" xlink:href="../i/cover.png"/></svg>'
    chapters = {
        "t/cover.xhtml": f"<html><body><div>{cover}</div></body></html>",
        "t/one.xhtml": '<html><body><h1>One</h1><p>text<img src="../i/my%20scan.png"/></p><p>end</p></body></html>',
    }
    parsed = parse(_book(chapters, {"i/cover.png": _TOTAL, "i/my scan.png": _INVOICE}), "a.epub")
    assert _texts(parsed) == ["TOTAL4711", "One", "text", "INVOICE2041", "end"]
    assert parsed.coverage == 1.0


def test_book_takes_titles_from_its_navigation_and_leaves_that_page_out() -> None:
    nav = '<html><body><nav><ol><li><a href="a.xhtml#s">Part A</a></li></ol></nav></body></html>'
    chapters = {"a.xhtml": "<html><body><p>text&nbsp;here</p><aside>1 a note</aside></body></html>"}
    items = '<item id="n" href="nav.xhtml" properties="nav"/>'
    spine = '<itemref idref="n"/><itemref idref="c0"/><itemref idref="gone"/>'
    parsed = parse(_book(chapters, {"nav.xhtml": nav.encode()}, spine, items), "a.epub")
    assert _texts(parsed) == ["Part A", "text here", "1 a note"]


def test_tables_lists_and_code_of_a_book_keep_their_form() -> None:
    body = "<h2>H</h2><ol><li>a</li><li>b</li></ol><table><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2</td></tr></table><pre>z\n w</pre>"
    parsed = parse(_book({"a.xhtml": f"<html><body>{body}</body></html>"}, {}), "a.epub")
    assert [(b.kind, b.text) for b in parsed.blocks] == [
        ("heading", "H"),
        ("list_item", "1. a"),
        ("list_item", "2. b"),
        ("table", "| x | y |\n| --- | --- |\n| 1 | 2 |"),
        ("code", "z\n w"),
    ]
    assert parsed.coverage == 1.0


def test_xhtml_that_closes_elements_in_themselves_is_read_to_its_end() -> None:
    page = '<?xml version="1.0"?><html><head><title/></head><body><a id="x"/><p>one</p><script/><p>two<br/>lines</p></body></html>'
    assert _texts(parse(page.encode(), "a.xhtml")) == ["one", "two\nlines"]
