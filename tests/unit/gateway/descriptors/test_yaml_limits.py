"""YAML from anybody: what is read, and what is refused before it can do harm."""

import time

import pytest

from refdesk.gateway.descriptors.errors import DescriptorUnreadable
from refdesk.gateway.descriptors.yaml_text import read_documents, write_documents


def only(text: str) -> object:
    [document] = read_documents(text)
    return document.value


def test_words_and_dates_stay_texts_and_numbers_are_numbers() -> None:
    text = "a: yes\nb: 2026-01-01\nc: 0x10\nd: 7\ne: 0.5\nf: true\ng: ~\nnull: 1"
    assert only(text) == {
        "a": "yes",
        "b": "2026-01-01",
        "c": "0x10",
        "d": 7,
        "e": 0.5,
        "f": True,
        "g": None,
        "null": 1,
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: 1\nb: 2\na: 3", "Line 3: a is given twice"),
        ("a: &x [*x]", "cannot hold itself"),
        ("a: !!python/object/apply:os.system [ls]", "tags are not taken"),
        ("a: [1,\nb: 2", "Line 2"),
        ("[a, b]: 1", "names of members are texts"),
        ("a: \x07", "special characters"),
        ("---\na: 1\n" * 201, "at most 200 documents"),
        ("[" * 41 + "]" * 41, "40 levels"),
        ("a: &x 1\nb: [" + "*x, " * 201 + "]", "200 aliases"),
        ("a: " + "x" * 1024 * 1024, "longer than 1024 KB"),
        ("a: *nothing", "undefined alias"),
    ],
)
def test_what_is_too_much_or_no_yaml_is_refused_with_its_line(text: str, told: str) -> None:
    with pytest.raises(DescriptorUnreadable) as refused:
        read_documents(text)
    assert told in refused.value.text


def test_a_bomb_of_aliases_is_refused_at_once() -> None:
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    started = time.perf_counter()
    with pytest.raises(DescriptorUnreadable, match="unfolded"):
        read_documents("a0: &a0 [x]\n" + "\n".join(levels))
    assert time.perf_counter() - started < 1


def test_what_is_written_is_read_as_it_was() -> None:
    values = [{"version": "1.10", "on": "no", "n": [1, 2.5, None, True], "text": "第六章\nsecond"}, {"b": {}}]
    text = write_documents(values)
    assert [document.value for document in read_documents(text)] == values


def test_a_path_leads_to_its_line() -> None:
    [document] = read_documents("a: 1\nb:\n  c:\n    - d: 1\n    - e: 2\n")
    assert document.line(["b", "c", 1, "e"]) == 5
    assert document.line(["b", "missing"]) == 2
