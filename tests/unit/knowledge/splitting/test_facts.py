"""What a paragraph knows of itself beside its text."""

from refdesk.knowledge.parsing import Parsed
from refdesk.knowledge.parsing.blocks import BlockList
from refdesk.knowledge.splitting import SplitSettings, split


def _split(found: BlockList, settings: SplitSettings | None = None) -> list[dict[str, object]]:
    parsed = Parsed("a", "markdown", tuple(found.blocks), {}, (), 0, 0)
    return [p.meta for p in split(parsed, settings).paragraphs]


def test_tables_code_and_pictures_are_told() -> None:
    found = BlockList()
    found.add("heading", "A", level=1)
    found.add("table", "| a |\n| --- |\n| 1 |")
    found.add("heading", "B", level=1)
    found.add("paragraph", "See ![plan](img/plan.png) and ![plan](img/plan.png).")
    found.add("code", "x = 1")
    found.add("heading", "C", level=1)
    found.add("paragraph", "Plain.")
    found.add("heading", "D", level=1)
    found.picture()
    found.add("paragraph", "Below a picture.")
    assert _split(found) == [
        {"has_table": True},
        {"has_code": True, "has_image": True, "image_url": ["img/plan.png"]},
        {},
        {"has_image": True},
    ]


def test_what_ocr_read_is_told_with_its_confidence() -> None:
    found = BlockList()
    found.add("paragraph", "typed")
    found.add("paragraph", "read from a scan", confidence=0.5)
    found.add("paragraph", "sure", confidence=1.0)
    assert _split(found) == [{"ocr_text": "read from a scan\n\nsure", "confidence_score": 0.6}]


def test_facts_of_paragraphs_that_are_merged_are_merged() -> None:
    found = BlockList()
    found.add("paragraph", "first " * 30, confidence=0.9)
    found.add("heading", "B", level=2)
    found.add("paragraph", "second", confidence=0.7)
    found.add("table", "| a |\n| --- |\n| 1 |")
    (facts,) = _split(found, SplitSettings(profile="structured"))
    assert facts["has_table"] is True
    assert facts["confidence_score"] == 0.7
    assert str(facts["ocr_text"]).endswith("second")
