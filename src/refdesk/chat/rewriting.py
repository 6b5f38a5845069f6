"""Stage `rewrite`: a follow-up question becomes one that can be understood, and searched, by itself.

Needs a language model, and an earlier turn or a picture. Whatever goes wrong, the question as asked is used.
"""

from refdesk.chat.context import RunContext
from refdesk.chat.language import Language
from refdesk.chat.notices import tell
from refdesk.chat.profile import Turn
from refdesk.chat.prompts import PICTURE_PROMPTS, REWRITE_PROMPTS, transcript
from refdesk.gateway import CompletionRequest, Message, ModelError

TIMEOUT_S = 20.0
MAX_TOKENS = 300
MAX_ANSWER_CHARS = 600


async def complete_question(context: RunContext, turns: list[Turn]) -> str:
    """The question to search with."""
    completer, pictures = await context.model("rewrite"), context.pictures
    if completer is None:
        if pictures:
            context.recorder.warning("picture-not-seen", _not_seen(context.language))
        return context.question
    # What a picture shows must be in words to be searched for.
    if not pictures and not (turns and context.profile.complete_question):
        return context.question
    async with context.recorder.stage("rewrite") as detail:
        detail["question"] = context.question
        prompts = PICTURE_PROMPTS if pictures else REWRITE_PROMPTS
        prompt = prompts[context.language].format_map(
            {"history": transcript(turns, MAX_ANSWER_CHARS), "question": context.question}
        )
        try:
            completion = await completer.complete(
                CompletionRequest(
                    messages=[Message("user", context.with_pictures(prompt))],
                    temperature=0.0,
                    max_tokens=MAX_TOKENS,
                    timeout_s=TIMEOUT_S,
                )
            )
        except ModelError as error:
            detail["failed"] = error.code
            context.recorder.warning("question-not-completed", _not_completed(context.language))
            return context.question
        for notice in completion.notices:
            tell(context.recorder, notice, context.language)
        if completion.usage is not None:
            context.recorder.add_usage(completion.usage.input_tokens, completion.usage.output_tokens)
        completed = _accepted(completion.text, context.question)
        detail["standalone_question"] = completed
        return completed


def _not_seen(language: Language) -> str:
    if language == "zh":
        return "未连接能看图片的语言模型，图片未被使用。"
    return "No language model is connected that could look at the pictures; they were left aside."


def _not_completed(language: Language) -> str:
    if language == "zh":
        return "未能补全问题，已按原文检索。"
    return "The question was searched as asked; completing it failed."


def _accepted(text: str, question: str) -> str:
    """The model's line if it can be a question at all: one line, not empty, not ten times as long."""
    lines = [line.strip().strip("\"'“”「」") for line in text.strip().splitlines() if line.strip()]
    if len(lines) != 1 or len(lines[0]) > 10 * len(question) + 200:
        return question
    return lines[0] or question
