"""A scripted conversation of twelve turns with an agent, to measure what compaction saves and must not lose.

Each turn asks about a fact that one search finds among three passages; some come back to earlier facts, one
asks for three at once. The model is `ReadingModel`; passages are as long as those of manuals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.chat.agent.builtin.corpus import as_result, digest_of, shown_passage
from refdesk.chat.agent.calling import CallDesk
from refdesk.chat.agent.loop import AgentLoop
from refdesk.chat.agent.policy import system_prompt
from refdesk.chat.agent.sources import Passage, SourceBook
from refdesk.chat.agent.transcript import PastTurn
from refdesk.chat.agent.writing import AnswerWriter
from refdesk.chat.journal import RunJournal
from refdesk.chat.recorder import RunRecorder
from refdesk.kit.ids import new_id
from refdesk.testing.reading_model import ReadingModel
from refdesk.tools import Tool, Toolbox, ToolCaller, ToolResult, ToolSpec

__all__ = ["CONVERSATION", "Told", "converse"]

SUBJECTS = [f"参数 P{n:02d}" for n in range(1, 13)]
CONVERSATION: tuple[str, ...] = (
    "《参数 P01》的最大值是多少？",
    "那《参数 P02》呢？",
    "《参数 P03》的最大值是多少？",
    "再确认一下《参数 P01》。",
    "《参数 P04》和《参数 P05》分别是多少？",
    "《参数 P06》的最大值是多少？",
    "《参数 P07》的最大值是多少？",
    "刚才的《参数 P02》和《参数 P04》是多少？",
    "《参数 P08》的最大值是多少？",
    "《参数 P09》的最大值是多少？",
    "对比《参数 P01》、《参数 P06》和《参数 P10》。",
    "最后再说一次《参数 P03》。",
)
_FILLER = (
    "超过该值时系统拒绝新的请求并写入日志，管理员应检查配置文件、网络连接与资源占用情况，必要时分批处理。"
)


@dataclass(frozen=True, slots=True)
class Told:
    """What came of a conversation: answers and cited passages a turn, searches, tokens of all prompts."""

    answers: tuple[str, ...]
    cited: tuple[tuple[str, ...], ...]
    searches: tuple[str, ...]
    prompt_tokens: int
    requests: int


def _passage(subject: str, n: int, part: int) -> Passage:
    start = f"{subject}的最大值为 {100 + n}。" if part == 0 else f"{subject}相关说明之{part}。"
    return Passage(
        paragraph_id=UUID(int=100 * n + part),
        document_id=UUID(int=n),
        knowledge_base_id=UUID(int=1),
        document=f"手册{n:02d}.md",
        section="参数",
        page=None,
        text=start + _FILLER * (4 + (3 * n + 5 * part) % 9),
        offset=0,
        similarity=0.9 - 0.05 * part,
    )


@dataclass(frozen=True, slots=True)
class _Search:
    book: SourceBook

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        subject = str(arguments["query"])
        number = SUBJECTS.index(subject) + 1
        found = [(self.book.add(one), one) for one in (_passage(subject, number, part) for part in range(3))]
        data = {"results": [shown_passage(passage, n) for n, passage in found]}
        return as_result(data, subject=subject, digest=digest_of(found))


async def converse(kept_rounds: int | None, conversation: Sequence[str] = CONVERSATION) -> Told:
    """Lead the conversation, with the last `kept_rounds` rounds of tool traffic whole, or all of them."""
    model, book = ReadingModel(), SourceBook()
    schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    spec = ToolSpec("builtin:search_documents", "search_documents", "search", schema, "builtin")
    box = Toolbox([Tool(spec, _Search(book))])
    turns: list[PastTurn] = []
    answers: list[str] = []
    cited: list[tuple[str, ...]] = []
    for question in conversation:
        recorder = RunRecorder(RunJournal(new_id()))
        loop = AgentLoop(
            completer=model,
            desk=CallDesk(box, ToolCaller(Scope.system(UUID(int=1)), "zh"), recorder, "zh"),
            recorder=recorder,
            writer=AnswerWriter(recorder, book, "zh"),
            language="zh",
            system=system_prompt("zh"),
            question=question,
            turns=turns,
            kept_rounds=kept_rounds,
        )
        await loop.run()
        turns.append(PastTurn(question, loop.answer, tuple(loop.rounds)))
        answers.append(recorder.answer)
        cited.append(tuple(str(one["paragraph_id"]) for one in recorder.citations))
    return Told(tuple(answers), tuple(cited), tuple(model.searches), model.prompt_tokens, model.requests)
