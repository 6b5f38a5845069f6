"""Newest first, on the real index: fifty pairs of two versions of a rule."""

import pytest

from refdesk.kit.database import Database
from refdesk.testing.library import Library, ShelvedBase
from refdesk.testing.rule_versions import rule_versions

PAIRS = list(rule_versions())


@pytest.fixture(scope="module")
async def shelved(database: Database) -> tuple[Library, ShelvedBase]:
    library = await Library(database).open()
    base = await library.base()
    for pair in PAIRS:
        await library.add(base, [pair.old], meta={"effective_date": pair.old_date})
        await library.add(base, [pair.new], meta={"effective_date": pair.new_date})
    await library.add(base, ["食堂中午十二点开门。", "The canteen opens at noon."])
    return library, base


async def share_right(library: Library, base: ShelvedBase, strategy: str) -> float:
    """How often the new version comes before the old one."""
    assert len(PAIRS) == 50
    right = 0
    for pair in PAIRS:
        result = await library.search(pair.question, base, strategy=strategy, apply_gate=False)
        versions = [hit.content for hit in result.hits if hit.content in (pair.old, pair.new)]
        right += versions[:1] == [pair.new]
    return right / len(PAIRS)


async def test_the_newest_of_two_versions_comes_first(shelved: tuple[Library, ShelvedBase]) -> None:
    library, base = shelved
    assert await share_right(library, base, "time-aware") >= 0.95
    assert await share_right(library, base, "auto") >= 0.95


async def test_the_plain_search_does_not_know_what_is_new(shelved: tuple[Library, ShelvedBase]) -> None:
    library, base = shelved
    assert await share_right(library, base, "hybrid-search") < 0.5


async def test_the_date_of_a_document_without_metadata_is_when_it_came(database: Database) -> None:
    library = await Library(database).open()
    base = await library.base()
    document = await library.add(base, ["年假五天，按工龄计算。"])
    hit = (await library.search("年假几天", base, apply_gate=False)).hits[0]
    assert hit.document_id == document.id
    assert hit.dated is not None
    assert hit.dated.year >= 2024
