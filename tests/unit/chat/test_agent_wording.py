"""What an agent searches with, and how answers that found nothing are told and worded."""

import pytest

from refdesk.chat.agent.cleaning import search_form
from refdesk.chat.agent.policy import POLICIES, nudge, system_prompt
from refdesk.chat.refusals import exact_refusal, is_refusal


def test_the_search_form_leaves_out_paths_and_code_names_and_keeps_what_names_something() -> None:
    form = search_form(
        "在 /opt/kb/phoenix/部署手册.md 和 C:\\docs\\网络\\FAQ.docx 里，"
        "凤凰项目的 NGINX 与 nginx 报 ERR-1042 怎么办",
        ["凤凰项目", "phoenix"],
    )
    assert form.text == "在 部署手册.md 和 FAQ.docx 里, 的 NGINX 与 NGINX 报 ERR-1042 怎么办"
    assert {"NGINX", "ERR-1042"} <= set(form.keywords)


def test_a_long_sentence_is_searched_by_its_terms_alone_and_a_short_query_as_it_stands() -> None:
    sentence = "我按照文档一步一步完成部署之后，发现容器一直没有办法正常启动起来，" * 3
    assert search_form(f"{sentence}状态是 CrashLoopBackOff，镜像 v2.3.1").query == "CrashLoopBackOff v2.3.1"
    assert search_form("max_connections 最大值").query == "max_connections 最大值"
    assert search_form("凤凰", ["凤凰"]).query == "凤凰", "never nothing at all"


@pytest.mark.parametrize(
    ("answer", "wording"),
    [
        ("抱歉，知识库中没有找到相关信息。", "本地知识库中未找到相关内容。"),
        ("本地知识库中未找到相关内容。", None),
        ("最大支持值为 100 [1]。", None),
        ("文档中未提及保修期，但价格为 300 元。", None),
    ],
)
def test_a_refusal_gets_the_one_wording_and_nothing_else_does(answer: str, wording: str | None) -> None:
    assert exact_refusal(answer, "zh") == wording


def test_an_english_refusal_is_one_too() -> None:
    assert is_refusal("I could not find anything about this in the documents.")
    assert exact_refusal("The documents do not mention it.", "en") == (
        "Nothing relevant was found in the knowledge base."
    )


def test_the_rules_hold_the_exact_sentences_in_both_languages() -> None:
    zh, en = system_prompt("zh", "只谈产品。"), system_prompt("en")
    assert zh.startswith("只谈产品。")
    assert "你是一个自主判断的助手，不是自动检索机器人，不要在没有必要时使用工具" in zh
    assert "本地知识库中未找到相关内容" in zh
    assert "根据《文档名》中的描述" in zh
    assert "do not use tools where there is no need" in en
    assert POLICIES.keys() == {"zh", "en"}
    assert "不能再使用工具" in nudge("zh")
