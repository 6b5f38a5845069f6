"""Searches of small bases in all three modes, against a real PostgreSQL."""

from dataclasses import replace

import pytest

from refdesk.accounts import Role
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.retrieval import KnowledgeBaseNotFound, QueryEmpty, QueryTooLong, SearchRequest, UnknownMode
from refdesk.testing.library import Library

MODES = ("embedding", "keywords", "blend")
CHINESE = [
    "报销差旅费需要在出差结束后三十天内提交发票。",
    "年假按照工龄计算，满一年不满十年的年假五天。",
    "设备启动失败时面板显示ERR-1042，请检查电源。",
    "升级到v2.3.1之后出现CrashLoopBackOff，需要清理缓存。",
    "公司食堂每天中午十二点开门，请问需要办卡的同事去前台。",
]


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


@pytest.mark.parametrize("mode", MODES)
async def test_the_paragraph_that_answers_comes_first(library: Library, mode: str) -> None:
    base = await library.base()
    document = await library.add(base, [*CHINESE, "Uploads are limited to 200 megabytes for each file."])
    result = await library.search("差旅费报销需要什么发票", base, mode=mode)
    assert result.found
    assert result.hits[0].paragraph_id == document.paragraphs[0].id
    assert result.hits[0].content == CHINESE[0]
    english = await library.search("limit of uploaded files in megabytes", base, mode=mode)
    assert english.hits[0].paragraph_id == document.paragraphs[5].id


@pytest.mark.parametrize("mode", ["keywords", "blend"])
@pytest.mark.parametrize(
    ("query", "position"),
    [
        ("ERR-1042", 2),
        ("ERR-1042 怎么办", 2),
        ("请问打印机旁边那台机器屏幕上出现ERR-1042到底是什么原因", 2),
        ("ＥＲＲ－１０４２", 2),
        ("err 1042", 2),
        ("ERR1042", 2),
        ("v2.3.1", 3),
        ("版本2.3.1", 3),
        ("crashloopbackoff", 3),
        ("CrashLoopBackOff 清理", 3),
        ("報銷差旅費", 0),
    ],
)
async def test_an_exact_code_or_other_spelling_is_found_first(
    library: Library, mode: str, query: str, position: int
) -> None:
    base = await library.base()
    document = await library.add(base, CHINESE)
    result = await library.search(query, base, mode=mode)
    assert result.found
    assert result.hits[0].paragraph_id == document.paragraphs[position].id
    assert result.hits[0].similarity >= 0.45


@pytest.mark.parametrize("query", ["ERR-9999", "请问怎么办", "您好，请问一下这个是什么？", "what is it?"])
async def test_another_code_or_mere_politeness_is_not_found_by_words(library: Library, query: str) -> None:
    base = await library.base()
    await library.add(base, CHINESE)
    result = await library.search(query, base, mode="keywords")
    assert not result.found
    assert result.hits == []
    assert result.best < result.threshold


@pytest.mark.parametrize("size", [1, 2, 5])
async def test_a_base_of_a_few_paragraphs_is_judged_sensibly(library: Library, size: int) -> None:
    base = await library.base()
    await library.add(base, CHINESE[:size])
    assert (await library.search("差旅费报销发票", base, mode="keywords")).found
    assert not (await library.search("量子计算机的工作原理", base, mode="keywords")).found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", ["……——", "-----", "?", "的了吗呢", "the of and", "\x00 ?"])
async def test_a_query_of_punctuation_or_stop_words_is_harmless(
    library: Library, mode: str, query: str
) -> None:
    base = await library.base()
    await library.add(base, [*CHINESE, "The state of the art of the trade."])
    result = await library.search(query, base, mode=mode)
    assert len(result.hits) <= 5


@pytest.mark.parametrize("mode", MODES)
async def test_an_empty_base_finds_nothing(library: Library, mode: str) -> None:
    result = await library.search("anything", await library.base(), mode=mode)
    assert (result.found, result.hits, result.best, result.candidates) == (False, [], 0.0, 0)


async def test_both_legs_explain_a_hit_and_what_was_left_out_is_told(library: Library) -> None:
    base = await library.base()
    await library.add(base, CHINESE)
    result = await library.search("差旅费发票", base, top_n=1)
    hit = result.hits[0]
    assert hit.dense is not None
    assert hit.lexical is not None
    assert (hit.dense.rank, hit.lexical.rank) == (1, 1)
    assert max(hit.dense.calibrated, hit.lexical.calibrated) <= hit.similarity <= 1
    assert result.candidates == 5
    assert {reason for _, reason in result.dropped} <= {"below_threshold", "beyond_top_n"}
    assert len(result.dropped) == 4
    assert {"indexes", "embed", "statistics", "legs", "paragraphs"} <= result.timings_ms.keys()


async def test_without_the_gate_everything_comes_but_found_still_tells(library: Library) -> None:
    base = await library.base()
    await library.add(base, CHINESE)
    result = await library.search("请问怎么办", base, mode="keywords", apply_gate=False)
    assert result.hits
    assert not result.found


async def test_several_bases_and_embedders_are_one_ranking(library: Library) -> None:
    wide = await library.embedder(128)
    narrow = await library.embedder(64)
    bases = [await library.base(wide), await library.base(narrow), await library.base(narrow)]
    documents = [await library.add(base, [CHINESE[i]]) for i, base in enumerate(bases)]
    for i, query in enumerate(("差旅费报销发票", "年假按照工龄计算", "设备启动失败")):
        for mode in MODES:
            result = await library.search(query, *bases, mode=mode)
            assert result.hits[0].paragraph_id == documents[i].paragraphs[0].id
            assert result.hits[0].knowledge_base_id == bases[i].id
    assert [len(embedder.calls) for embedder in (wide, narrow)] == [7, 8]  # once a model and search


async def test_only_the_chosen_documents_are_searched(library: Library) -> None:
    base = await library.base()
    first, second = await library.add(base, CHINESE[:1]), await library.add(base, CHINESE[1:2])
    for mode in MODES:
        result = await library.search(
            "差旅费报销发票", base, mode=mode, document_ids=[second.id], apply_gate=False
        )
        assert {hit.document_id for hit in result.hits} <= {second.id}
        result = await library.search("差旅费报销发票", base, mode=mode, document_ids=[first.id])
        assert [hit.document_id for hit in result.hits] == [first.id]
        assert (await library.search("差旅费", base, mode=mode, document_ids=[])).hits == []


@pytest.mark.parametrize("mode", MODES)
async def test_a_paragraph_on_another_access_list_is_never_seen(library: Library, mode: str) -> None:
    base = await library.base()
    await library.add(base, ["the secret budget of the board"], acl_id=7)
    request = SearchRequest("secret budget of the board", [base.id], mode=mode, apply_gate=False)
    viewer = replace(library.scope, user_id=new_id(), role=Role.VIEWER, via="session")
    result = await library.retriever.search(viewer, request)
    assert (result.hits, result.dropped, result.candidates, result.best) == ([], [], 0, 0.0)
    owner = replace(viewer, role=Role.OWNER)
    assert len((await library.retriever.search(owner, request)).hits) == 1


async def test_unknown_and_foreign_bases_are_not_found(library: Library, database: Database) -> None:
    foreign = await Library(database).open()
    theirs = await foreign.base()
    ours = await library.base()
    for base_id in (new_id(), theirs.id):
        with pytest.raises(KnowledgeBaseNotFound):
            await library.search("anything", ours, type(ours)(base_id, ours.index, ours.embedder))


async def test_bad_requests_are_refused_by_name(library: Library) -> None:
    base = await library.base()
    with pytest.raises(QueryEmpty):
        await library.search(" \x00 ", base)
    with pytest.raises(QueryTooLong):
        await library.search("长" * (Settings().max_question_chars + 1), base)
    with pytest.raises(UnknownMode):
        await library.search("anything", base, mode="magic")


async def test_a_very_long_query_is_answered(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, CHINESE)
    query = "".join(f"词语{i}编号X{i}" for i in range(800))[:7000] + "差旅费报销发票"
    result = await library.search(query, base, apply_gate=False)
    assert document.paragraphs[0].id in {hit.paragraph_id for hit in result.hits}


@pytest.mark.parametrize("mode", MODES)
async def test_a_question_like_an_attached_one_finds_the_paragraph(library: Library, mode: str) -> None:
    base = await library.base()
    document = await library.add(base, [*CHINESE, "Room rates follow appendix B."])
    asked = replace(document.paragraphs[5], questions=["Can I stay in an expensive hotel?"])
    await library.index(base, [asked])
    result = await library.search("may I stay in an expensive hotel", base, mode=mode)
    assert result.hits[0].paragraph_id == asked.id
    assert result.hits[0].by_question
    assert result.hits[0].content == "Room rates follow appendix B."
    assert [hit.paragraph_id for hit in result.hits].count(asked.id) == 1


async def test_of_one_documents_paragraphs_the_one_that_says_something_comes_first(library: Library) -> None:
    base = await library.base()
    said = "奶瓶的材质以玻璃和硅胶为好，玻璃奶瓶耐高温、易清洗，适合新生儿；硅胶奶瓶轻便不易碎。" * 3
    document = await library.add(
        base, ["相关推荐", "返回目录", said, "发布时间"], titles=("什么材质的奶瓶最好",)
    )
    await library.add(base, CHINESE * 4)
    result = await library.search("奶瓶什么材质的最好", base, mode="keywords")
    assert result.hits[0].paragraph_id == document.paragraphs[2].id


@pytest.mark.parametrize(
    ("query", "advice"),
    [
        ("火星上有几个湖", "该查询未检索到足够相关的内容，请考虑直接回答未知"),
        (
            "how many lakes are there on Mars",
            "Nothing relevant enough was found for this query; consider answering that it is not known.",
        ),
    ],
)
async def test_what_found_nothing_says_what_to_make_of_that(
    library: Library, query: str, advice: str
) -> None:
    base = await library.base()
    await library.add(base, ["设备启动失败时请检查电源。", "The lamp of the harbour burns every night."])
    missed = await library.search(query, base, similarity=0.45)
    assert (missed.found, missed.hits, missed.advice) == (False, [], advice)
    found = await library.search("The lamp of the harbour", base, similarity=0.45)
    assert (found.found, found.advice) == (True, None)
