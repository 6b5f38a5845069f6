"""Every warning beside an answer has Chinese and English words, and no sentence of another language."""

import ast
import importlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import refdesk.chat
from refdesk.chat import notices, submission
from refdesk.chat.faults import CHINESE, reason_of, unavailable
from refdesk.chat.language import language_of
from refdesk.chat.profile import RunProfile
from refdesk.chat.searching import told
from refdesk.chat.stages.stage import Stage
from refdesk.gateway import ModelError
from refdesk.kit.errors import AppError
from refdesk.retrieval import SearchResult, SearchWarning
from refdesk.tools import ToolProblem

ROOM = Path(refdesk.chat.__file__).parent
LOCALES = Path(__file__).parents[3] / "frontend" / "src" / "locales"
HAN = re.compile(r"[\u3400-\u9fff]")
# Warnings whose code is decided elsewhere: each kind has a test of its own below.
BY_CODE = {
    "notices.py": "notice.code",
    "runs.py": "code",
    "stages/memory.py": "code",
    "stages/retrieve/fetching.py": "warning.code",
    "stages/rewrite.py": "code",
    "stages/stage.py": "code",
}


class Emitted:
    """A call of `recorder.warning` in the source, with the function around it."""

    def __init__(self, path: Path, function: ast.AST, call: ast.Call) -> None:
        self.place = path.relative_to(ROOM).as_posix()
        self.function, self.call = function, call
        parts = path.relative_to(ROOM.parent).with_suffix("").parts
        self.module: ModuleType = importlib.import_module(".".join(("refdesk", *parts)))

    @property
    def codes(self) -> list[str]:
        """The codes that the call names; none where another place decides."""
        return [
            node.value
            for part in self._with_locals(self.call.args[0])
            for node in _outcomes(part)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]

    @property
    def message(self) -> list[ast.AST]:
        return self._with_locals(self.call.args[1])

    def _with_locals(self, expression: ast.AST) -> list[ast.AST]:
        """The expression and those of the function that give its names their values."""
        found = [expression]
        for part in found:  # grows
            names = _names(part)
            for node in ast.walk(self.function):
                if not isinstance(node, ast.Assign) or node.value in found:
                    continue
                if isinstance(node.targets[0], ast.Name) and node.targets[0].id in names:
                    found.append(node.value)
        return found

    def is_bilingual(self) -> bool:
        return any(_has_both(self.module, name) for part in self.message for name in _names(part))

    def foreign(self) -> list[str]:
        """Words of errors and tools that go into the message as they are."""
        return [ast.unparse(node) for part in self.message for node in _unguarded(part)]


def _outcomes(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.IfExp):
        yield from (*_outcomes(node.body), *_outcomes(node.orelse))
    else:
        yield node


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _unguarded(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("reason_of", "unavailable", "told"):
        return
    if isinstance(node, ast.Attribute) and node.attr in ("message", "text", "hint"):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _unguarded(child)


def _has_both(module: ModuleType, name: str) -> bool:
    """Whether a name of the module is words in both languages, or a function that says such."""
    value: Any = vars(module).get(name)
    if isinstance(value, Mapping):
        return _are_both(value)
    if callable(value) and getattr(value, "__module__", "").startswith("refdesk.chat"):
        home = importlib.import_module(value.__module__)
        source = ast.parse(Path(str(home.__file__)).read_text())
        for node in ast.walk(source):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                texts = [
                    one.value
                    for one in ast.walk(node)
                    if isinstance(one, ast.Constant) and isinstance(one.value, str) and " " in one.value
                ] + [
                    one.value
                    for one in ast.walk(node)
                    if isinstance(one, ast.Constant) and isinstance(one.value, str) and HAN.search(one.value)
                ]
                said = {bool(HAN.search(text)) for text in texts if text != ast.get_docstring(node)}
                tables = (vars(home).get(one) for one in _names(node))
                return said == {True, False} or any(
                    isinstance(one, Mapping) and _are_both(one) for one in tables
                )
    return False


def _are_both(words: Mapping[Any, Any]) -> bool:
    if set(words) != {"zh", "en"}:
        return False
    zh, en = (str(words[language]) for language in ("zh", "en"))
    return bool(HAN.search(zh)) and bool(en.strip()) and not HAN.search(en)


def _emitted() -> list[Emitted]:
    found: list[Emitted] = []
    for path in sorted(ROOM.rglob("*.py")):
        tree = ast.parse(path.read_text())
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for node in ast.walk(function):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr == "warning"
                    and ast.unparse(node.func.value).endswith("recorder")
                ):
                    found.append(Emitted(path, function, node))
    return found


EMITTED = _emitted()


def test_the_search_for_warnings_finds_them() -> None:
    codes = {code for one in EMITTED for code in one.codes}
    known = {"tool-failed", "tool-declined", "tool-unavailable", "tools-unavailable", "answer-truncated"}
    assert known | {"citation-removed", "model-failed", "nothing-found", "agent-ceiling"} <= codes
    elsewhere = {one.place: ast.unparse(one.call.args[0]) for one in EMITTED if not one.codes}
    assert elsewhere == BY_CODE


@pytest.mark.parametrize("one", EMITTED, ids=lambda one: f"{one.place}:{one.call.lineno}")
def test_a_warning_has_words_in_both_languages(one: Emitted) -> None:
    if one.codes:
        on_page = [json.loads((LOCALES / tag / "notices.json").read_text()) for tag in ("zh", "en")]
        shown = all(code in words for words in on_page for code in one.codes)
        assert shown or one.is_bilingual(), one.codes
    assert one.foreign() == []


def test_the_warning_of_a_stage_has_both() -> None:
    stages = [one for one in Stage.__subclasses__() if one.__module__.startswith("refdesk.")]
    assert len(stages) >= 4
    for stage in stages:
        assert _are_both(stage.warning[1]), stage.warning


def test_the_notices_of_the_gateway_have_both() -> None:
    for code, words in notices._WORDS.items():  # pyright: ignore[reportPrivateUsage]
        assert _are_both(dict(zip(("zh", "en"), words, strict=True))), code


@pytest.mark.parametrize(("language", "question"), [("zh", "怎么退货？"), ("en", "How do I return it?")])
def test_the_warnings_of_an_application_are_in_the_language_of_the_question(
    language: str, question: str
) -> None:
    profile = RunProfile(knowledge_base_ids=(), missing_bases=1, unasked_bases=2)
    said = submission._warnings(profile, question)  # pyright: ignore[reportPrivateUsage]
    assert [code for code, _ in said] == ["knowledge-base-gone", "knowledge-bases-unsearched"]
    assert {language_of(text) for _, text in said} == {language}


@pytest.mark.parametrize("code", ["still-indexing", "rerank-failed", "reranker-unusable"])
def test_the_warnings_of_a_search_are_told_in_chinese_alone(code: str) -> None:
    warning = SearchWarning(code, "Not reranked: The model did not answer in time. [model-timeout]")
    result = SearchResult.__new__(SearchResult)
    object.__setattr__(result, "unready", 3)
    said = told(warning, result, "zh")
    assert not re.search(r"[A-Za-z]{2,}", said)
    assert code == "still-indexing" or "模型未在规定时间内响应" in said
    assert told(warning, result, "en") == warning.message


def _kinds(root: type[AppError]) -> Iterator[type[AppError]]:
    yield root
    for kind in root.__subclasses__():
        yield from _kinds(kind)


def test_what_a_model_or_a_tool_fails_with_has_chinese_words() -> None:
    """Errors of models, and the faults that tools end with as the source names them."""
    codes = {kind.code for kind in _kinds(ModelError) if kind.__module__.startswith("refdesk.")}
    errors = importlib.import_module("refdesk.tools.errors")
    codes |= {kind.code for kind in _kinds(errors.ToolServerFailed)}
    literal = re.compile(r'(?:ToolFault|_fault|ToolProblem)\([^"()]*"([a-z-]+)"')
    for room in ("tools", "skills", "chat"):
        for path in (ROOM.parent / room).rglob("*.py"):
            codes |= set(literal.findall(path.read_text()))
    assert {"tool-timeout", "tool-error", "tool-server-lost", "model-timeout"} <= codes
    # The last three are told to a model, or in words of their own.
    assert sorted(codes - CHINESE.keys() - {"declined", "refused", "too-many"}) == []
    assert all(HAN.search(words) and not words.endswith("。") for words in CHINESE.values())


def test_a_fault_is_told_in_the_language_of_the_answer() -> None:
    english = "The tool did not answer within 3 seconds."
    assert reason_of("tool-timeout", english, "zh") == "没有及时应答"
    assert reason_of("tool-timeout", english, "en") == "The tool did not answer within 3 seconds"
    assert reason_of("tool-error", "没有这张订单。", "zh") == "没有这张订单"
    assert reason_of("tool-error", "没有这张订单。", "en") == "error tool-error"
    assert reason_of("vendor-oddity", "Nope.", "zh") == "错误码 vendor-oddity"
    problem = ToolProblem("orders", "tool-server-unreachable", "The tool server cannot be reached.")
    assert unavailable(problem, "zh") == "工具「orders」暂时无法使用：无法连接工具服务器。"
    assert unavailable(problem, "en") == (
        "The tool “orders” cannot be used at the moment: The tool server cannot be reached."
    )
