"""RTF: what programs write besides plain paragraphs, and what printed pages carry."""

# ruff: noqa: E501 - markup is read better in one piece

import pytest
from tests.unit.knowledge.parsing.pictures import picture_of

from refdesk.knowledge.parsing import Parsed, ParseOptions, parse


def _rtf(body: str, options: ParseOptions | None = None, head: str = "") -> Parsed:
    return parse((r"{\rtf1\ansi\ansicpg1252" + head + body + "}").encode("latin-1"), "a.rtf", options)


def _texts(parsed: Parsed) -> list[str]:
    return [block.text.replace(" ", "") if block.confidence else block.text for block in parsed.blocks]


_PICTURE = picture_of("INVOICE 2041")


@pytest.mark.parametrize(
    "around",
    [
        r"{\pict\pngblip %s}",
        r"{\*\shppict{\pict{\*\picprop{\sp{\sn x}{\sv 1}}}\picw10\pngblip %s}}{\nonshppict{\pict\wmetafile8 00ff}}",
        r"{\shp{\*\shpinst\shpleft0{\sp{\sn pib}{\sv {\pict\pngblip %s}}}}{\shprslt{\pict\wmetafile8 00}}}",
    ],
    ids=["plain", "with fallback", "floating"],
)
def test_picture_is_read_where_it_stands(around: str) -> None:
    lines = "\n".join(_PICTURE.hex()[at : at + 128] for at in range(0, 2 * len(_PICTURE), 128))
    parsed = _rtf(r"\pard Before " + around % lines + r"\par After\par")
    assert _texts(parsed) == ["Before", "INVOICE2041", "After"]
    assert parsed.coverage == 1.0
    assert [b.pictures for b in parsed.blocks] == [0, 1, 0]


def test_picture_written_as_bytes_is_read() -> None:
    body = rb"{\rtf1\ansi Before {\pict\pngblip\bin%d " % len(_PICTURE) + _PICTURE + rb"}\par After\par}"
    assert _texts(parse(body, "a.rtf")) == ["Before", "INVOICE2041", "After"]


def test_headers_and_footers_stand_around_the_text_when_asked_for() -> None:
    body = r"{\header\pard Top\par}{\footerf\pard Page of Acme\par}\pard Body\par{\headerl Top}\pard More\par"
    assert _texts(_rtf(body)) == ["Body", "More"]
    assert _rtf(body).meta["running_headers"] == ["Top", "Page of Acme"]
    asked = _rtf(body, ParseOptions(include_running=True))
    assert _texts(asked) == ["Top", "Body", "More", "Page of Acme"]
    assert asked.coverage == 1.0


def test_table_in_a_cell_keeps_its_rows_and_merged_cells_stand_once() -> None:
    nested = (
        r"\trowd\cellx1\cellx2\pard\intbl\itap2 x\nestcell y\nestcell"
        r"{\*\nesttableprops\trowd\cellx1\cellx2\nestrow}{\nonesttables\par}"
        r"\pard\intbl\itap2 z\nestcell w\nestcell{\*\nesttableprops\trowd\nestrow}{\nonesttables\par}"
    )
    merged = r"\trowd\clmgf\cellx1\clmrg\cellx2\pard\intbl wide\cell\cell\row"
    parsed = _rtf(merged + nested + r"\pard\intbl\itap1\cell b\cell\row\pard after\par")
    assert _texts(parsed) == ["| wide |  |\n| --- | --- |\n| x; y<br>z; w | b |", "after"]
    assert parsed.coverage == 1.0


def test_notes_boxes_and_comments_follow_their_paragraph() -> None:
    body = (
        r"\pard text{\footnote\ftnalt the end}{\shp{\*\shpinst{\shptxt in the box\par}}}"
        r"{\*\atnid AB}{\*\atnauthor A. B.}\chatn{\*\annotation{\*\atnref 1} really?}\par next\par"
    )
    assert _texts(_rtf(body)) == ["text[^1]", "[^1]: the end", "in the box", "next"]
    assert _rtf(body).meta["comments_left_out"] == 1
    assert _texts(_rtf(body, ParseOptions(include_comments=True)))[3] == "really?"
    assert _rtf(body).coverage == 1.0


def test_numbers_of_headings_and_lists_are_kept_and_marks_of_bullets_are_not() -> None:
    parsed = _rtf(
        r"{\listtext 2.1\tab}\pard\s3\ls1\ilvl1 Scope\par{\listtext\f1 \'b7\tab}\pard\ls2 one\par"
        r"{\pntext a)\tab}\pard{\*\pn\pnlvlbody}two\par",
        head=r"{\fonttbl{\f0 Arial;}{\f1\fcharset2 Symbol;}}{\stylesheet{\s3 heading 2;}}",
    )
    assert [(b.kind, b.text) for b in parsed.blocks] == [
        ("heading", "2.1 Scope"),
        ("list_item", "- one"),
        ("list_item", "a) two"),
    ]


def test_letters_of_symbol_fonts_are_what_they_show() -> None:
    fonts = r"{\fonttbl{\f0 Arial;}{\f1\froman\fcharset2 Symbol;}{\f2\fnil\fcharset2 Wingdings;}}"
    parsed = _rtf(r"\pard\f0 Angle {\f1 a\'b3} done {\f2\'fc}{\f1\u-3999?}\par", head=fonts)
    assert parsed.text == "Angle α≥ done ✓α"
    assert parsed.coverage == 1.0


def test_formula_keeps_its_letters() -> None:
    body = (
        r"\pard E{\mmath{\*\moMathPara{\*\moMathParaPr\mjc1}{\*\moMath{\mr\mscr0 =mc}{\msSup{\msSupPr{\mctrlPr no}}"
        r"{\me{\mr 2}}}}}}{\mmathPict{\pict\wmetafile8 00}}\par"
    )
    assert _rtf(body).text == "E=mc2"
    assert _rtf(body).coverage == 1.0
