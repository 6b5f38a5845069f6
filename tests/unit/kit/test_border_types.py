"""What border types let in can be stored by PostgreSQL, whatever was sent."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from refdesk.kit.border_types import CleanJson, CleanText, Name, PlainLine

ANY_TEXT = st.text(st.characters())
TEXT: TypeAdapter[str] = TypeAdapter(CleanText)
JSON: TypeAdapter[dict[str, Any]] = TypeAdapter(CleanJson)


def storable(text: str) -> bool:
    return "\x00" not in text and text == text.encode("utf-8", "replace").decode("utf-8")


@given(ANY_TEXT)
def test_clean_text_is_storable_and_good_text_is_kept(text: str) -> None:
    cleaned = TEXT.validate_python(text)
    assert storable(cleaned)
    assert cleaned == text or not storable(text)


@given(ANY_TEXT, ANY_TEXT)
def test_keys_and_values_of_json_are_cleaned(key: str, value: str) -> None:
    ((clean_key, values),) = JSON.validate_python({key: [value, {"n": 1}]}).items()
    assert storable(clean_key)
    assert storable(values[0])


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "a\nb", "a\x7fb"])
@pytest.mark.parametrize("kind", [Name, PlainLine])
def test_names_with_unprintable_characters_are_refused(kind: Any, text: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(text)


def test_json_that_jsonb_cannot_hold_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(40):
        deep = {"deep": deep}
    for value in ({"n": float("inf")}, {"n": [float("nan")]}, deep):
        with pytest.raises(ValidationError):
            JSON.validate_python(value)
