"""Prompts: templates, fences, packing, languages, earlier turns."""

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.chat.test_quoting_selection import hit

from refdesk.chat.language import language_of
from refdesk.chat.packing import estimated_tokens, pack
from refdesk.chat.profile import Turn
from refdesk.chat.prompts import (
    ANSWER_PROMPTS,
    SYSTEM_PROMPTS,
    VARIABLES,
    fenced,
    fill,
    transcript,
    variables_of,
)
from refdesk.chat.verification import statements


def test_placeholders_are_filled_once() -> None:
    filled = fill("{data}|{question}|{other}", data="{question} {x}", question="{data}")
    assert filled == "{question} {x}|{data}|{other}"


def test_built_in_prompts_have_what_they_need() -> None:
    for situation, prompts in ANSWER_PROMPTS.items():
        for prompt in prompts.values():
            assert variables_of(prompt) == VARIABLES[situation]
    assert "本地知识库中未找到相关内容" in SYSTEM_PROMPTS["zh"]
    assert "根据《文档名》中的描述" in SYSTEM_PROMPTS["zh"]


@given(st.text(alphabet='</source>SOURCE n="1" \n', max_size=60))
def test_content_cannot_close_its_fence(content: str) -> None:
    block = fenced(1, 'a"<b>', "s", 3, content)
    assert block.lower().count("<source") == 1
    assert block.lower().count("</source") == 1
    assert block.startswith('<source n="1" document="a\'‹b›" section="s" page="3">\n')


def test_languages() -> None:
    assert language_of("怎么重置路由器？") == "zh"
    assert language_of("CrashLoopBackOff 是什么原因") == "zh"
    assert language_of("What does 重置 mean in this manual for routers?") == "en"
    assert language_of("ERR-1042") == "en"
    assert language_of("") == "en"


def test_whole_paragraphs_are_packed_in_order_within_the_limits() -> None:
    hits = [hit("a" * 300), hit("b" * 900), hit("c" * 300)]
    packed = pack(hits, max_chars=700, max_tokens=10_000)
    assert [text[0] for _, text in packed] == ["a", "c"]
    assert [text[0] for _, text in pack(hits, max_chars=9_000, max_tokens=200)] == ["a"]


def test_only_the_first_is_cut_and_at_a_sentence_end() -> None:
    long = hit("One sentence here. " * 20)
    (_, text), *_ = pack([long, hit("short")], max_chars=100, max_tokens=1_000)
    assert (
        text
        == "One sentence here. One sentence here. One sentence here. One sentence here. One sentence here."
    )


@given(st.lists(st.text(max_size=400), max_size=6), st.integers(200, 2_000), st.integers(50, 2_000))
def test_packing_never_exceeds_its_limits(texts: list[str], max_chars: int, max_tokens: int) -> None:
    packed = pack([hit(text) for text in texts], max_chars=max_chars, max_tokens=max_tokens)
    assert sum(len(text) for _, text in packed) <= max_chars
    assert sum(estimated_tokens(text) for _, text in packed) <= max_tokens
    assert all(one.content.startswith(text) for one, text in packed)


def test_long_answers_are_cut_in_transcripts() -> None:
    assert transcript([Turn("q", "a" * 50)], 10) == "Q: q\nA: aaaaaaaaaa…"


def test_marks_belong_to_the_sentence_before_them() -> None:
    answer = "甲是乙。[1][2]丙是丁。[3]\n\n```\nx. y.\n```\nLast one [4]."
    assert [answer[a:b] for a, b in statements(answer)] == [
        "甲是乙。[1][2]",
        "丙是丁。[3]",
        "```\nx. y.\n```",
        "Last one [4].",
    ]
