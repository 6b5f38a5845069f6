"""What terms do for questions: whole words, synonyms as one word, in any language and spelling."""

import pytest
from tests.service.terms.conftest import TermDesk

from refdesk.retrieval import Retriever, SearchRequest

TEXTS = {
    "zh": "机器学习平台每天凌晨两点备份所有的训练数据。",
    "en": "The machine learning platform keeps backups for thirty days.",
    "short": "ML 平台的负责人是王工。",
    "parts": "新机器到货以后，大家要先学习安全手册。",
    "pad": "鼠标垫在二楼领取。",
    "mouse": "鼠标坏了请到一楼更换。",
    "code": "设备面板显示ERR-1042，请检查电源。",
    "spaced": "日志里出现 ERR-1043 时重启服务。",
    "other": "食堂每天中午十二点开门。",
}


async def filled(shelf: TermDesk) -> None:
    await shelf.add(*TEXTS.values())


async def test_synonyms_are_found_whichever_is_asked(shelf: TermDesk) -> None:
    await filled(shelf)
    await shelf.term("机器学习", "machine learning", "ML")
    await shelf.follow()
    same = {TEXTS["zh"], TEXTS["en"], TEXTS["short"]}
    for query in ("机器学习", "machine learning", "ML", "機器學習", "ＭＬ", "Machine  Learning"):
        for mode in ("keywords", "blend"):
            assert set((await shelf.texts(query, mode))[:3]) == same, (query, mode)


async def test_a_synonym_counts_once_and_as_much_as_the_word(shelf: TermDesk) -> None:
    await shelf.add(
        "alpha one two three four", "beta one two three four", "alpha beta one two three", "gamma"
    )
    await shelf.term("alpha", "beta")
    await shelf.follow()
    hits = (await shelf.search("alpha", apply_gate=False)).hits
    scores = {hit.content: hit.lexical.raw for hit in hits if hit.lexical is not None}
    assert len(scores) == 3
    # All three are of one length and hold the meaning once: holding both words is no better.
    assert max(scores.values()) == pytest.approx(min(scores.values()), rel=1e-5)


async def test_asking_for_two_words_of_one_meaning_is_asking_once(shelf: TermDesk) -> None:
    await filled(shelf)
    await shelf.term("机器学习", "machine learning", "ML")
    await shelf.follow()
    both = await shelf.search("ML machine learning 平台", apply_gate=False)
    assert {hit.content for hit in both.hits} == set(await all_of(shelf, "ML 平台"))
    similar = {hit.content: hit.similarity for hit in both.hits}
    assert similar[TEXTS["short"]] == pytest.approx(similar[TEXTS["zh"]])


async def test_the_longest_word_is_the_one_that_counts(shelf: TermDesk) -> None:
    await filled(shelf)
    await shelf.term("鼠标", "mouse")
    await shelf.term("鼠标垫", "mouse pad")
    await shelf.follow()
    assert await shelf.texts("mouse pad") == [TEXTS["pad"]]
    # A part that the segmenter knows is found in the longer word, by the word as by its synonym.
    assert set(await shelf.texts("mouse")) == set(await shelf.texts("鼠标"))


async def test_a_latin_word_is_no_part_of_a_longer_one(shelf: TermDesk) -> None:
    await shelf.add("Send an email to the desk.", "AI answers here.", "用AI回答问题。")
    await shelf.term("AI", "人工智能")
    await shelf.follow()
    assert set(await shelf.texts("人工智能")) == {"AI answers here.", "用AI回答问题。"}


async def all_of(shelf: TermDesk, query: str) -> list[str]:
    found = await shelf.search(query, apply_gate=False, top_n=20)
    return [hit.content for hit in found.hits]


async def test_synonyms_never_take_away_what_the_bare_question_finds(shelf: TermDesk) -> None:
    await filled(shelf)
    queries = ["机器学习平台备份", "机器学习", "平台 backups", "新机器学习安全手册"]
    before = [await all_of(shelf, query) for query in queries]
    await shelf.term("机器学习", "machine learning", "ML")
    await shelf.follow()
    for query, found in zip(queries, before, strict=True):
        now = await all_of(shelf, query)
        assert set(found) <= set(now), query
    assert (await all_of(shelf, "机器学习平台备份"))[0] == TEXTS["zh"]
    assert (await all_of(shelf, "新机器学习安全手册"))[0] == TEXTS["parts"]


async def test_a_base_is_asked_with_its_own_terms_only(shelf: TermDesk) -> None:
    other = TermDesk(shelf.desk, (await shelf.desk.base()).id)
    await shelf.add("苹果公司发布了手机。", "橙子上市了。")
    await other.add("Apple pie needs cinnamon.", "橙子汁很甜。")
    await shelf.term("苹果", "apple")
    await shelf.follow()
    assert await shelf.texts("apple") == ["苹果公司发布了手机。"]
    assert await other.texts("苹果") == []
    assert await other.texts("apple") == ["Apple pie needs cinnamon."]
    retriever = Retriever(shelf.desk.database, shelf.desk.gateway, shelf.desk.settings)
    request = SearchRequest("苹果", [shelf.base_id, other.base_id], mode="keywords")
    both = await retriever.search(shelf.desk.scope, request)
    assert [hit.content for hit in both.hits] == ["苹果公司发布了手机。"]


@pytest.mark.parametrize("mode", ["keywords", "blend"])
@pytest.mark.parametrize(
    "query", ["ERR-1042", "ERR－1042", "ｅｒｒ-1042", "报错ERR-1042怎么办", "报错 ERR-1042 怎么办"]
)
async def test_a_code_is_first_with_and_without_spaces_beside_terms(
    shelf: TermDesk, mode: str, query: str
) -> None:
    await filled(shelf)
    await shelf.term("ERR-1042", "电源故障")
    await shelf.term("设备面板")
    await shelf.follow()
    assert (await shelf.texts(query, mode))[0] == TEXTS["code"]
    assert (await shelf.texts("电源故障", mode))[0] == TEXTS["code"]


@pytest.mark.parametrize(
    "query", ["-" * 500, "——————", "。。。？？！", "- - -", "…", "'\"`;--", "((((", "%_%", "\\"]
)
@pytest.mark.parametrize("mode", ["keywords", "blend", "embedding"])
async def test_punctuation_alone_is_harmless(shelf: TermDesk, mode: str, query: str) -> None:
    await filled(shelf)
    await shelf.term("机器学习", "C++")
    await shelf.follow()
    result = await shelf.search(query, mode)
    if mode == "keywords":
        assert result.hits == []
        assert not result.found
