"""Stage `rewrite`: what was typed becomes one to four questions that can be understood, and searched, alone.

Terms are mapped first. A follow-up, a picture or a question in several parts is put to a model, in one call;
without one, or where it fails, rules split the question and carry over what a follow-up leaves out, for the
search only. Whatever goes wrong, the question as asked is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import orjson

from refdesk.chat.choices import StageName
from refdesk.chat.context import RunContext
from refdesk.chat.language import Language
from refdesk.chat.notices import tell
from refdesk.chat.profile import Turn
from refdesk.chat.prompts import PICTURE_PROMPTS, REWRITE_PROMPTS, transcript
from refdesk.chat.stages.carrying import carried
from refdesk.chat.stages.memory import Memory
from refdesk.chat.stages.splitting import MOST_QUESTIONS, split_by_rules
from refdesk.chat.stages.stage import Stage
from refdesk.chat.stages.terms import mapped
from refdesk.gateway import Completer, CompletionRequest, Message, ModelError

MAX_TOKENS = 400
MAX_ANSWER_CHARS = 600

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "question": {"type": "string"},
        "parts": {"type": "array", "items": {"type": "string"}, "maxItems": MOST_QUESTIONS},
    },
    "required": ["question", "parts"],
    "additionalProperties": False,
}

_NOT_SEEN: dict[Language, str] = {
    "zh": "未连接能看图片的语言模型，图片未被使用。",
    "en": "No language model is connected that could look at the pictures; they were left aside.",
}


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """`text` is what is to be answered, `search` what is searched for it."""

    text: str
    search: str


@dataclass(frozen=True, slots=True)
class Asked:
    """The whole question, and the one to four it consists of."""

    question: str
    parts: tuple[SubQuestion, ...]

    @classmethod
    def of(cls, question: str, parts: Sequence[str] = ()) -> "Asked":
        return cls(question, tuple(SubQuestion(part, part) for part in parts or (question,)))

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(part.text for part in self.parts)


class Rewrite(Stage[Memory, Asked]):
    """From what was typed, and what was said before, to the questions."""

    name: ClassVar[StageName] = "rewrite"
    warning = (
        "question-not-completed",
        {
            "zh": "未能补全问题，已按原文检索。",
            "en": "The question was searched as asked; completing it failed.",
        },
    )

    def needed(self, context: RunContext, given: Memory) -> bool:
        return bool(
            context.pictures
            or (given.turns and context.profile.complete_question)
            or context.profile.term_mapping
            or len(split_by_rules(context.question)) > 1
        )

    def without(self, context: RunContext, given: Memory) -> Asked:
        return Asked.of(context.question)

    async def run(self, context: RunContext, given: Memory, detail: dict[str, Any]) -> Asked:
        question = mapped(context.question, context.profile.term_mapping)
        detail["question"] = context.question
        if question != context.question:
            detail["mapped"] = question
        completer = await context.model("rewrite")
        if completer is None and context.pictures:
            context.recorder.warning("picture-not-seen", _NOT_SEEN[context.language])
        asked = _by_rules(context, question, given.turns)
        # A model is asked where it has something to do: pictures to read, turns to read, parts to part.
        if completer is not None and (context.pictures or given.turns or len(asked.parts) > 1):
            try:
                asked = await _by_model(context, completer, question, given)
            except ModelError as error:
                detail["failed"] = error.code
                code, words = self.warning
                context.recorder.warning(code, words[context.language])
        if asked.question != context.question:
            detail["standalone_question"] = asked.question
        if len(asked.parts) > 1:
            detail["parts"] = list(asked.texts)
        return asked


def _by_rules(context: RunContext, question: str, turns: Sequence[Turn]) -> Asked:
    texts = split_by_rules(question)
    earlier = [turn.question for turn in turns] if context.profile.complete_question else []
    parts: list[SubQuestion] = []
    for text in texts:
        parts.append(SubQuestion(text, carried(text, earlier)))
        earlier = [*earlier, text]
    return Asked(question, tuple(parts))


async def _by_model(context: RunContext, completer: Completer, question: str, given: Memory) -> Asked:
    prompts = PICTURE_PROMPTS if context.pictures else REWRITE_PROMPTS
    history = transcript(given.turns, MAX_ANSWER_CHARS, summary=given.summary)
    prompt = prompts[context.language].format_map({"history": history, "question": question})
    completion = await completer.complete(
        CompletionRequest(
            messages=[Message("user", context.with_pictures(prompt))],
            temperature=0.0,
            max_tokens=MAX_TOKENS,
            json_schema=SCHEMA,
        )
    )
    for notice in completion.notices:
        tell(context.recorder, notice, context.language)
    if completion.usage is not None:
        context.recorder.add_usage(completion.usage.input_tokens, completion.usage.output_tokens)
    return accepted(completion.text, question)


def accepted(text: str, question: str) -> Asked:
    """What the model wrote if it can be questions (not empty, not ten times as long), else the question.

    A model that writes a plain line instead of JSON has completed the question and not split it.
    """
    most = 10 * len(question) + 200
    whole, parts = _read(text)
    if not whole or len(whole) > most:
        return Asked.of(question, split_by_rules(question))
    told = [part for part in parts if 0 < len(part) <= most][:MOST_QUESTIONS]
    distinct = list(dict.fromkeys(told))
    return Asked.of(whole, distinct if len(distinct) > 1 else ())


def _read(text: str) -> tuple[str, list[str]]:
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    if bare.startswith("{"):
        try:
            found: Any = orjson.loads(bare)
        except orjson.JSONDecodeError:
            return "", []
        if not isinstance(found, dict):
            return "", []
        read = cast("dict[str, Any]", found)
        given = read.get("parts")
        parts = cast("list[Any]", given) if isinstance(given, list) else []
        whole = read.get("question")
        return (_line(whole) if isinstance(whole, str) else ""), [
            _line(p) for p in parts if isinstance(p, str)
        ]
    lines = [_line(line) for line in bare.splitlines() if line.strip()]
    return (lines[0], []) if len(lines) == 1 else ("", [])


def _line(text: str) -> str:
    return " ".join(text.split()).strip("\"'“”「」 ")
