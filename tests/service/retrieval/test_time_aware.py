"""Newest first, on the real index: fifty pairs of two versions of a rule."""

import pytest

from refdesk.kit.database import Database
from refdesk.retrieval import SearchResult
from refdesk.testing.library import Library, ShelvedBase

SUBJECTS = [
    ("差旅住宿标准", "travel lodging limit"),
    ("年假天数", "annual leave"),
    ("加班餐补", "overtime meal allowance"),
    ("退货期限", "return period"),
    ("密码有效期", "password lifetime"),
]
CITIES = [
    ("上海", "Shanghai"),
    ("成都", "Chengdu"),
    ("武汉", "Wuhan"),
    ("深圳", "Shenzhen"),
    ("西安", "Xian"),
]
QUESTIONS = ("目前{city}{subject}是多少", "What is the current {subject} in {city}?")
PAIRS = [(subject, city) for subject in SUBJECTS for city in CITIES]


@pytest.fixture(scope="module")
async def shelved(database: Database) -> tuple[Library, ShelvedBase]:
    library = await Library(database).open()
    base = await library.base()
    for number, (subject, city) in enumerate(PAIRS):
        for language in (0, 1):
            where, what = city[language], subject[language]
            if language == 0:
                # The old one is nearer to the words of the question, so that words alone prefer it.
                old = f"{where}{what}目前为 {number + 3}，由部门经理批准，每月核对一次。"
                new = f"{where}{what}调整为 {number + 60}，由部门经理批准，每月核对一次，另行通知除外。"
            else:
                old = f"The current {what} in {where} is {number + 3}, approved by the manager every month."
                new = f"The {what} in {where} was set to {number + 60}, approved by the manager each month."
            await library.add(base, [old], meta={"effective_date": "2019-05-01"})
            await library.add(base, [new], meta={"effective_date": f"2024-0{number % 9 + 1}-15"})
    await library.add(base, ["食堂中午十二点开门。", "The canteen opens at noon."])
    return library, base


def is_newest_first(result: SearchResult, where: str, what: str) -> bool:
    versions = [hit for hit in result.hits if where in hit.content and what in hit.content]
    return bool(versions) and versions[0].dated is not None and versions[0].dated.year == 2024


async def share_right(library: Library, base: ShelvedBase, strategy: str) -> float:
    right = 0
    for subject, city in PAIRS:
        for language, question in (
            (0, "目前{city}{subject}是多少"),
            (1, "What is the current {subject} in {city}?"),
        ):
            what, where = subject[language], city[language]
            asked = question.format(city=where, subject=what)
            result = await library.search(asked, base, strategy=strategy, apply_gate=False)
            right += is_newest_first(result, where, what)
    return right / (2 * len(PAIRS))


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
