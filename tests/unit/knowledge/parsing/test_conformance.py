"""What every parser keeps to, whatever its kind."""

import random

import pytest
from tests.unit.knowledge.parsing.samples import sample

from refdesk.knowledge.parsing import (
    ParseError,
    ParseOptions,
    UnpackedTooLarge,
    UnsupportedKind,
    choose,
    parse,
    parsers,
)
from refdesk.knowledge.parsing.wire import decode_result, encode_parsed

KINDS = [parser.kind for parser in parsers()]
PACKED = [kind for kind in KINDS if sample(kind).packed]
_MUTANTS = 25


def _lines_up(kind: str, data: bytes, name: str) -> None:
    """Either a failure of ours, which says why in words, or blocks whose offsets hold."""
    try:
        parsed = parse(data, name)
    except ParseError:
        return
    text = parsed.text
    for block in parsed.blocks:
        assert text.startswith(block.text, block.offset), kind


def test_kinds_are_told_apart() -> None:
    assert len(set(KINDS)) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_parser_is_chosen_for_its_own_sample(kind: str) -> None:
    made = sample(kind)
    assert choose(made.data, made.name).kind == kind
    assert parse(made.data, made.name).kind == kind


@pytest.mark.parametrize("kind", KINDS)
def test_content_wins_over_a_wrong_name(kind: str) -> None:
    made = sample(kind)
    if made.data.startswith((b"%PDF", b"PK", b"\xd0\xcf", b"{\\rtf", b"<!DOCTYPE html")):
        for name in ("a.bin", "a.pdf", "a.docx", "a.xlsx", "a.odt", "a.doc", "a.png"):
            if kind != "zip" or name in ("a.bin", "a.pdf", "a.doc", "a.png"):
                assert choose(made.data, name).kind == kind, name


def test_program_under_another_name_is_refused_in_words() -> None:
    for name in ("a.pdf", "a.docx", "a.bin"):
        with pytest.raises(UnsupportedKind, match="it looks like a program"):
            choose(b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 4, name)
    with pytest.raises(UnsupportedKind, match="its content is not text"):
        choose(bytes(range(256)) * 4, "a.bin")


@pytest.mark.parametrize("kind", KINDS)
def test_every_text_comes_out_once_and_in_order(kind: str) -> None:
    made = sample(kind)
    parsed = parse(made.data, made.name)
    text = parsed.text
    assert [text.count(wanted) for wanted in made.texts] == [1] * len(made.texts)
    places = [text.index(wanted) for wanted in made.texts]
    assert places == sorted(places)
    assert parsed.coverage == 1.0
    assert parsed.extracted_chars > 40
    assert parsed.warnings == ()


@pytest.mark.parametrize("kind", KINDS)
def test_offsets_point_to_the_blocks_without_overlap(kind: str) -> None:
    made = sample(kind)
    parsed = parse(made.data, made.name)
    end = 0
    for block in parsed.blocks:
        assert block.offset >= end
        assert block.text.strip()
        assert parsed.text[block.offset : block.offset + len(block.text)] == block.text
        end = block.offset + len(block.text)
    assert end == len(parsed.text)


@pytest.mark.parametrize("kind", KINDS)
def test_structure_is_found_where_the_kind_has_any(kind: str) -> None:
    made = sample(kind)
    first = parse(made.data, made.name).blocks[0]
    if made.heading:
        assert first.kind == "heading"
        # Of a page only the size of the letters is known, which does not tell how high a heading is.
        assert first.level == 1 or kind in ("pdf", "image")
        assert made.texts[0] in first.text


@pytest.mark.parametrize("kind", KINDS)
def test_same_bytes_give_the_same_result_also_through_the_wire(kind: str) -> None:
    made = sample(kind)
    parsed = parse(made.data, made.name)
    assert parse(made.data, made.name) == parsed
    assert decode_result(encode_parsed(parsed)) == parsed


@pytest.mark.parametrize("kind", KINDS)
def test_cut_off_file_is_read_or_refused_in_plain_words(kind: str) -> None:
    made = sample(kind)
    for tenth in range(1, 10):
        _lines_up(kind, made.data[: len(made.data) * tenth // 10], made.name)
    for missing in (1, 2, 5):
        _lines_up(kind, made.data[:-missing], made.name)


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_bytes_never_lead_to_anything_but_a_clear_failure(kind: str) -> None:
    made = sample(kind)
    dice = random.Random(kind)
    for _ in range(_MUTANTS):
        data = bytearray(made.data)
        for _ in range(dice.choice((1, 3, 20))):
            data[dice.randrange(len(data))] = dice.choice((0, 0x7F, 0xFF, dice.randrange(256)))
        _lines_up(kind, bytes(data), made.name)


@pytest.mark.parametrize("kind", KINDS)
def test_garbage_behind_the_first_bytes_is_survived(kind: str) -> None:
    made = sample(kind)
    dice = random.Random(kind + "garbage")
    for keep in (8, 64, len(made.data) // 2):
        _lines_up(kind, made.data[:keep] + dice.randbytes(2_000), made.name)


@pytest.mark.parametrize("kind", PACKED)
def test_packed_file_keeps_to_the_limit_of_unpacked_bytes(kind: str) -> None:
    made = sample(kind)
    with pytest.raises(UnpackedTooLarge):
        parse(made.data, made.name, ParseOptions(max_unpacked_bytes=200))
