"""What an archive holds and nobody read is named, counted, and weighs in its coverage."""

import io
import zipfile

import pytest

from refdesk.kit.wording import counted
from refdesk.knowledge.parsing import ParseOptions, parse
from refdesk.knowledge.parsing.wire import decode_result, encode_parsed

_TEXT = b"Words of one member, as many as in each other."


def _zip(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return out.getvalue()


def test_every_member_beyond_the_limit_is_named_and_lowers_the_coverage() -> None:
    data = _zip(**{f"{n}_txt": _TEXT for n in range(8)})
    parsed = parse(data, "a.zip", ParseOptions(max_members=2))
    assert [w.details["name"] for w in parsed.warnings] == [f"{n}.txt" for n in range(2, 8)]
    assert {w.details["cause"] for w in parsed.warnings} == {"unpacked-too-large"}
    assert all(str(w.details["name"]) in w.message for w in parsed.warnings)
    assert (parsed.meta["files_read"], parsed.meta["files_left_out"]) == (2, 6)
    assert parsed.coverage == pytest.approx(2 / 8)


def test_a_broken_member_weighs_as_much_as_the_others_do_and_one_without_text_nothing() -> None:
    data = _zip(a_txt=_TEXT, b_txt=_TEXT, bad_pdf=b"%PDF-1.7 broken", c_txt=_TEXT)
    assert parse(data, "a.zip").coverage == pytest.approx(3 / 4)
    data = _zip(a_txt=_TEXT, program_exe=b"\x7fELF" + bytes(99), empty_txt=b"")
    parsed = parse(data, "a.zip")
    assert parsed.coverage == 1
    assert (parsed.meta["files_read"], parsed.meta["files_left_out"]) == (1, 2)
    assert [w.details["name"] for w in parsed.warnings] == ["program.exe", "empty.txt"]


def test_names_are_limited_and_the_rest_is_counted() -> None:
    data = _zip(**{f"{n}_txt": _TEXT for n in range(251)})
    warnings = parse(data, "a.zip", ParseOptions(max_members=1)).warnings
    assert [w.code for w in warnings] == ["member-skipped"] * 100 + ["members-left-out"]
    assert warnings[-1].details == {"count": 150}
    assert warnings[-1].message == "And 150 more files were left out."


def test_warnings_about_what_was_read_do_not_hide_what_was_not() -> None:
    guessed = {f"{n}_txt": "Größe über Straße".encode("latin-1") for n in range(230)}
    warnings = parse(_zip(**guessed, bad_pdf=b"%PDF-1.7 broken"), "a.zip").warnings
    assert (warnings[0].code, warnings[0].details["name"]) == ("member-skipped", "bad.pdf")
    assert [w.code for w in warnings[1:]] == ["encoding-guessed"] * 200 + ["more-warnings"]
    assert warnings[-1].details == {"count": 30}


def test_what_an_archive_inside_leaves_out_is_counted_with_the_path() -> None:
    inner = _zip(a_txt=_TEXT, bad_pdf=b"%PDF-1.7 broken")
    parsed = parse(_zip(inner_zip=inner, b_txt=_TEXT), "a.zip")
    assert [w.details["name"] for w in parsed.warnings] == ["inner.zip/bad.pdf"]
    assert (parsed.meta["files_read"], parsed.meta["files_left_out"]) == (2, 1)
    assert parsed.coverage == pytest.approx(2 / 3)
    assert decode_result(encode_parsed(parsed)) == parsed


def test_counts_are_written_as_people_write_them() -> None:
    assert [counted(n, "row") for n in (0, 1, 2, 1200)] == ["0 rows", "1 row", "2 rows", "1,200 rows"]
    assert counted(1, "row was", "rows were") == "1 row was"
