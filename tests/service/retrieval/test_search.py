"""Searches of small bases in all three modes, against a real PostgreSQL."""

import pytest

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.retrieval import KnowledgeBaseNotFound, QueryEmpty, QueryTooLong, SearchRequest, UnknownMode
from refdesk.testing.library import Library

MODES = ("embedding", "keywords", "blend")


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


@pytest.mark.parametrize("mode", MODES)
async def test_the_paragraph_that_answers_comes_first(library: Library, mode: str) -> None:
    base = await library.base()
    texts = [
        "报销差旅费需要在出差结束后三十天内提交发票。",
        "年假按照工龄计算，满一年不满十年的年假五天。",
        "Uploads are limited to two hundred megabytes for each file.",
    ]
    document = await library.add(base, texts)
    result = await library.search("差旅费报销需要什么发票", base, mode=mode)
    assert result.found
    assert result.hits[0].paragraph_id == document.paragraphs[0].id
    assert result.hits[0].content == texts[0]
    english = await library.search("limit of uploaded files in megabytes", base, mode=mode)
    assert english.hits[0].paragraph_id == document.paragraphs[2].id


@pytest.mark.parametrize("mode", MODES)
async def test_an_empty_base_finds_nothing(library: Library, mode: str) -> None:
    result = await library.search("anything", await library.base(), mode=mode)
    assert (result.found, result.hits, result.best, result.candidates) == (False, [], 0.0, 0)
