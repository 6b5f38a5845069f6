"""What is refused: paragraphs without text, metadata the page cannot edit, patterns that are none."""

from typing import Any

import pytest
from pydantic import ValidationError

from refdesk.knowledge.errors import MetaInvalid
from refdesk.knowledge.metadata import checked_metadata
from refdesk.knowledge.schemas import AddedParagraph, ParagraphUpdate
from refdesk.knowledge.splitting import PatternInvalid
from refdesk.knowledge.splitting.patterns import compiled_pattern


@pytest.mark.parametrize("content", ["", "   ", "\n\t\u3000"])
@pytest.mark.parametrize("shape", [ParagraphUpdate, AddedParagraph])
def test_a_paragraph_without_text_is_refused(shape: type[Any], content: str) -> None:
    with pytest.raises(ValidationError, match=r"white space only|at least 1"):
        shape(content=content)
    assert shape(content="  a  ", title="").content == "  a  "
    assert ParagraphUpdate(title="").content is None


@pytest.mark.parametrize("value", [{"b": 1}, [1], ["a", None], [["a"]], [{"b": 1}]])
def test_metadata_that_are_nested_are_refused(value: Any) -> None:
    with pytest.raises(MetaInvalid) as caught:
        checked_metadata({"a": value})
    assert caught.value.details["key"] == "a"
    assert "list of texts" in str(caught.value.details["expected"])


def test_metadata_the_page_can_edit_are_kept() -> None:
    meta = {"a": "x", "b": 1, "c": 1.5, "d": True, "e": ["x", "y"], "f": None, "g": []}
    assert checked_metadata(meta) == meta


def test_a_pattern_that_is_none_is_named_with_the_place() -> None:
    with pytest.raises(PatternInvalid) as caught:
        compiled_pattern("ab(")
    assert caught.value.text == (
        "The split pattern “ab(” is not a valid regular expression: missing ), at character 4."
    )
