"""Which answers are refusals, and which only sound like one."""

import pytest

from refdesk.chat.language import Language
from refdesk.chat.refusals import exact_refusal, is_refusal

REFUSALS = (
    "本地知识库中未找到相关内容。",
    "没有找到相关内容",
    "没有找到相关内容，请换个说法再试。",
    "抱歉，没有找到与“量子纠缠”相关的内容。",
    "很抱歉，暂未检索到相关资料。",
    "未查询到相关信息。",
    "知识库中没有相关内容。",
    "知识库里没有这方面的信息",
    "没有相关信息。",
    "暂无相关资料。",
    "文档中未提及。",
    "根据提供的资料，无法回答该问题。",
    "无法从现有文档中找到答案。",
    "资料不足，无法回答。",
    "我没有找到任何有关保修期的说明。",
    "找不到相关内容。",
    "搜索不到相关内容。",
    "检索结果为空。",
    "没有查到相关记载，建议联系客服。",
    "No relevant content was found.",
    "No relevant content was found in the knowledge base.",
    "No relevant content found",
    "No relevant results were found for your question.",
    "No matching documents were found.",
    "I found no relevant information.",
    "I found nothing relevant.",
    "I found nothing about this in the documents.",
    "Sorry, I couldn't find any relevant information in the documents.",
    "I was unable to find any information about this.",
    "Unable to find relevant content.",
    "Nothing relevant was found in the knowledge base.",
    "There is no information about the warranty in the documents.",
    "There is no relevant content in the knowledge base.",
    "The documents do not contain this information.",
    "The documents contain no information about this.",
    "The provided context does not answer the question.",
    "This is not mentioned in the documents.",
    "No information is available on this topic.",
    "No information about this topic is available in the knowledge base.",
    "The search returned no results.",
    "I don't have enough information to answer this question.",
    "The knowledge base has no information on this.",
)
NO_REFUSALS = (
    "没有找到配置文件时，程序会退出。",
    "未找到相关内容时返回 404。",
    "若没有找到相关内容，系统会显示空白页。",
    "系统提示“没有找到相关内容”。",
    "文档中未提及保修期，但价格为 300 元。",
    "没有找到相关内容，但最大值为 100。",
    "最大支持值为 100 [1]。",
    "没有找到相关内容 [1]。",
    "未找到有效许可证，请重新导入许可证。",
    "该型号没有包含电源线。",
    "包装内未提供电池。",
    "设备没有相关认证。",
    "该功能无法回答电话。",
    "账号中没有相关权限。",
    "If no relevant content was found, the page stays blank.",
    "No relevant content was found in section 3, but the limit is 100.",
    'The error "No relevant content was found" means that the index is empty.',
    "No relevant content was found [1].",
    "The box does not contain a battery.",
    "The package is not found in the registry, so pip stops.",
    "No answer was received from the server.",
    "No documents are required for registration.",
    "The API returns 404 when nothing was found.",
    "The license does not include support.",
    "No information is shared with third parties.",
    "The server sends no results when the query is empty.",
    "The limit is 100.",
    "好的。",
    "Hello!",
)


@pytest.mark.parametrize("answer", REFUSALS)
def test_an_answer_that_nothing_was_found_is_a_refusal_in_either_language(answer: str) -> None:
    assert is_refusal(answer)


@pytest.mark.parametrize("answer", NO_REFUSALS)
def test_what_claims_something_is_none(answer: str) -> None:
    assert not is_refusal(answer)


@pytest.mark.parametrize(
    ("answer", "language", "wording"),
    [
        ("没有找到相关内容，请换个说法再试。", "zh", "本地知识库中未找到相关内容。"),
        ("No relevant content was found.", "en", "Nothing relevant was found in the knowledge base."),
        ("No relevant content was found.", "zh", "本地知识库中未找到相关内容。"),
        ("未找到相关内容时返回 404。", "zh", None),
    ],
)
def test_a_refusal_gets_the_wording_of_the_answers_language(
    answer: str, language: Language, wording: str | None
) -> None:
    assert exact_refusal(answer, language) == wording
