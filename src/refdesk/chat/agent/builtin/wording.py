# ruff: noqa: E501 — what models read is easier to judge whole
"""What models read of the corpus tools: descriptions and schemas (A6–A8), in both languages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from refdesk.chat.language import Language

NOTHING_RELEVANT: dict[Language, str] = {
    "zh": "该查询未检索到足够相关的内容，请考虑直接回答未知",
    "en": "Nothing relevant enough was found for this query; consider answering that it is not known",
}


@dataclass(frozen=True, slots=True)
class Words:
    """A tool's title and description, and what its parameters mean."""

    title: str
    description: str
    parameters: Mapping[str, str]


WORDS: dict[str, dict[Language, Words]] = {
    "search_documents": {
        "zh": Words(
            "检索文档",
            "在本地文档中检索。仅当用户问题明确指向本地文档中记录的具体事实时才调用。"
            "不用于问候、闲聊或常识性问题。检索词使用关键的技术名词或短语，不使用整句话，"
            "也不使用“功能”“问题”“方法”之类的模糊词。结果不足时换用不同的关键词再次检索。",
            {
                "query": "关键的技术名词或短语（产品、参数、错误码），不是整句话",
                "top_k": "返回的段落数，1 到 5",
                "document_ids": "只在这些文档中检索（文档 id）；省略则在全部文档中检索",
                "library_ids": "只在这些知识库中检索（知识库 id）；省略则在全部知识库中检索",
            },
        ),
        "en": Words(
            "Search documents",
            "Search the local documents. Only when the user's question clearly points to specific facts recorded"
            " in the local documents. Not for greetings, small talk or general knowledge. The query is made of"
            " the key technical nouns or phrases, not the whole sentence, without vague words such as"
            " 'function', 'problem' or 'method'. If the results are not enough, search again with other words.",
            {
                "query": "the key technical nouns or phrases (product, parameter, error code), not the sentence",
                "top_k": "how many passages to return, 1 to 5",
                "document_ids": "search these documents only (document ids); left out: all documents",
                "library_ids": "search these libraries only (library ids); left out: all libraries",
            },
        ),
    },
    "get_document_meta": {
        "zh": Words(
            "文档信息",
            "返回文档的标题、日期和版本。用于回答文档何时更新、是哪个版本；先检索到文档，再用此工具查询。",
            {"document": "文档的 id 或名称"},
        ),
        "en": Words(
            "Document details",
            "Title, date and version of a document. For questions when a document was updated or which version"
            " it is: find the document by a search first, then ask here.",
            {"document": "id or name of the document"},
        ),
    },
    "list_documents": {
        "zh": Words(
            "文档列表",
            "列出可以检索的文档的名称和 id。用于了解有哪些文档，或按名称找到某份文档；不返回内容。",
            {"name": "名称中包含的文字；省略则列出全部", "limit": "最多列出多少份，1 到 50"},
        ),
        "en": Words(
            "List documents",
            "Names and ids of the documents that can be searched. To learn which documents there are, or to find"
            " one by its name; returns no content.",
            {"name": "text that the name contains; left out: all", "limit": "at most this many, 1 to 50"},
        ),
    },
    "read_section": {
        "zh": Words(
            "阅读上下文",
            "阅读某条检索结果及其前后的段落。用于检索到的片段不完整、需要上下文时。",
            {
                "source": "检索结果的编号 n",
                "paragraph_id": "检索结果的 paragraph_id",
                "before": "之前的段落数，0 到 5",
                "after": "之后的段落数，0 到 5",
            },
        ),
        "en": Words(
            "Read around a passage",
            "A found passage with the paragraphs before and after it. Where a passage is cut short and its"
            " context is needed.",
            {
                "source": "number n of the result",
                "paragraph_id": "paragraph_id of the result",
                "before": "paragraphs before it, 0 to 5",
                "after": "paragraphs after it, 0 to 5",
            },
        ),
    },
    "route_libraries": {
        "zh": Words(
            "选择知识库",
            "判断哪些知识库最可能记录某个主题，返回其 id、名称和说明。知识库较多时，先选择再用 library_ids 检索。",
            {"query": "关键的技术名词或短语"},
        ),
        "en": Words(
            "Choose libraries",
            "Which libraries most likely hold a subject: ids, names and descriptions. Where there are many, choose"
            " first, then search with library_ids.",
            {"query": "the key technical nouns or phrases"},
        ),
    },
    "find_paths": {
        "zh": Words(
            "查找关系",
            "在知识图谱中查找两个或多个名称之间的关系，或一个名称的关系；每条关系都带有出处段落。"
            "用于“A 和 B 有什么关系”“哪个产品有这个参数”之类的问题。",
            {"entities": "名称（产品、参数、错误码、部门等），一个或多个"},
        ),
        "en": Words(
            "Find relations",
            "Relations between two or more names in the knowledge graph, or of one name, each with the passage that"
            " tells it. For questions how things belong together, or which product has a parameter.",
            {"entities": "names (product, parameter, error code, department), one or more"},
        ),
    },
}


def parameters_of(
    words: Words, properties: Mapping[str, Mapping[str, Any]], required: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The JSON Schema of a tool with what its parameters mean."""
    described = {name: {**part, "description": words.parameters[name]} for name, part in properties.items()}
    return {
        "type": "object",
        "properties": described,
        "required": list(required),
        "additionalProperties": False,
    }
