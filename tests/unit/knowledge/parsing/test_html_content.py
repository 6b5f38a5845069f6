"""HTML: a part of a page is taken for the whole only where nothing of substance stands outside of it."""

import pytest

from refdesk.knowledge.parsing import Parsed, parse
from refdesk.knowledge.parsing.coverage import visible_chars

_TEXT = "Words that people come for, long enough to be the content of a page. " * 3


def _read(body: str) -> Parsed:
    return parse(f"<!doctype html><html><body>{body}</body></html>".encode(), "a.html")


def test_lone_teaser_is_not_taken_for_the_page() -> None:
    parsed = _read(
        f"<h1>Installation</h1><h2>Linux</h2><p>Unpack it. {_TEXT}</p><h2>Windows</h2><p>Run it. {_TEXT}</p>"
        f"<article class=teaser><h3>News</h3><p>A new release. {_TEXT}{_TEXT}</p></article>"
    )
    headings = [b.text for b in parsed.blocks if b.kind == "heading"]
    assert headings == ["Installation", "Linux", "Windows", "News"]
    assert parsed.coverage == 1
    assert "navigation_chars" not in parsed.meta or parsed.meta["navigation_chars"] == 0


def test_main_part_is_taken_where_only_frames_of_the_page_stand_outside() -> None:
    frames = ("header", "nav", "aside", "footer", "div class=sidebar")
    outside = "".join(f"<{f}><h2>Frame</h2><p>Some words of it.</p></{f.split()[0]}>" for f in frames)
    parsed = _read(f"{outside}<main><h1>Title</h1><p>{_TEXT}</p></main>")
    assert [b.text for b in parsed.blocks] == ["Title", _TEXT.strip()]
    assert parsed.meta["navigation_chars"] == len(frames) * visible_chars("Frame Some words of it.")
    assert parsed.coverage == 1


def test_main_part_with_the_clear_majority_is_taken_and_the_rest_is_counted() -> None:
    teaser = "<h3>More</h3><p>Words about something else.</p>"
    parsed = _read(f"<main><h1>Title</h1><p>{_TEXT * 5}</p></main><div>{teaser}</div>")
    assert "something else" not in parsed.text
    assert parsed.meta["navigation_chars"] == visible_chars("More Words about something else.")
    smaller = _read(f"<main><h1>Title</h1><p>{_TEXT}</p></main><div>{teaser * 5}</div>")
    assert smaller.text.count("something else") == 5


def test_title_outside_of_the_main_part_stays() -> None:
    parsed = _read(f"<div><h1>The title</h1></div><main><p>{_TEXT}</p></main>")
    assert [b.text for b in parsed.blocks] == ["The title", _TEXT.strip()]


def test_articles_are_read_with_what_stands_between_them() -> None:
    one, two = (f"<article><h2>{n}</h2><p>{_TEXT}</p></article>" for n in ("One", "Two"))
    links = "".join(f"<a href=/{n}>Page {n}</a> " for n in range(30))
    parsed = _read(f"<div>{links}</div><div id=list><h1>All</h1>{one}<p>Between.</p>{two}</div>")
    assert [b.text for b in parsed.blocks if b.text != _TEXT.strip()] == ["All", "One", "Between.", "Two"]
    assert parsed.meta["navigation_chars"] == visible_chars("".join(f"Page {n}" for n in range(30)))


@pytest.mark.parametrize("kind", ["warning", "note", "tip", "admonition caution", "box-warning"])
@pytest.mark.parametrize("outer", ["main", "article", "div"])
def test_notes_inside_the_content_stay(kind: str, outer: str) -> None:
    note = f'<aside class="{kind}" role="complementary">Switch off the mains first.</aside>'
    parsed = _read(f"<{outer}><h1>Title</h1><p>{_TEXT}</p>{note}<p>After.</p></{outer}>")
    assert [b.text for b in parsed.blocks][2:] == ["Switch off the mains first.", "After."]


def test_cookie_notice_is_no_note() -> None:
    notice = "<aside class='cookie-notice'>We use cookies.</aside>"
    parsed = _read(f"<main><h1>Title</h1><p>{_TEXT}</p>{notice}</main>")
    assert "cookies" not in parsed.text


def test_footer_with_contacts_stays_in_an_article_and_one_without_does_not() -> None:
    contact = "<footer>Questions: help@desk.example, 030 1234567</footer>"
    parsed = _read(f"<article><h1>Title</h1><p>{_TEXT}</p>{contact}</article>")
    assert parsed.blocks[-1].text == "Questions: help@desk.example, 030 1234567"
    plain = _read(f"<article><h1>Title</h1><p>{_TEXT}</p><footer>Filed under News</footer></article>")
    assert plain.blocks[-1].text == _TEXT.strip()
    assert plain.meta["navigation_chars"] == visible_chars("Filed under News")


def test_alternative_text_of_pictures_stays_but_for_names_of_files_and_captions() -> None:
    parsed = _read(
        f"<p>{_TEXT}</p><p>Press <img src=a.png alt='the red button'> now.</p>"
        "<img src=b.png alt='b-2024.PNG'>"
        "<figure><img src=c.png alt='The plan'><figcaption>The plan of the house</figcaption></figure>"
        "<table><tr><th>Sign</th></tr><tr><td><img src=d.png alt=forbidden></td></tr></table>"
    )
    assert "Press the red button now." in parsed.text
    assert "PNG" not in parsed.text
    assert parsed.text.count("The plan") == 1
    assert "| forbidden |" in parsed.text
    assert parsed.coverage == 1


def test_headings_that_are_buttons_are_headings() -> None:
    parsed = _read(f"<h2><button>How to return?</button></h2><p>{_TEXT}</p><button>Buy</button>")
    assert [b.text for b in parsed.blocks] == ["How to return?", _TEXT.strip()]


def test_what_is_lost_behind_the_cut_lowers_the_coverage(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count is of the page, not of the tree that is walked: what is cut and not told is seen."""

    def cut(main: object, left_out: list[str]) -> int:
        for node in main.css("p.lost"):  # type: ignore[attr-defined]
            node.decompose()
        return 0

    monkeypatch.setattr("refdesk.knowledge.parsing.html.drop_navigation", cut)
    parsed = _read(f"<main><h1>T</h1><p>{_TEXT}</p><p class=lost>{_TEXT}</p></main>")
    assert parsed.coverage == pytest.approx(0.5, abs=0.01)
