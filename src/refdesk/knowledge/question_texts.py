"""Texts of questions as they are kept: one line, trimmed, none twice."""

from collections.abc import Iterable

from refdesk.knowledge.errors import BlankQuestion, QuestionTooLong

MAX_QUESTION_CHARS = 500


def clean_question(text: str) -> str:
    """White space becomes single spaces. Raises `BlankQuestion` and `QuestionTooLong`."""
    cleaned = " ".join(text.replace("\0", "").split())
    if not cleaned:
        raise BlankQuestion
    if len(cleaned) > MAX_QUESTION_CHARS:
        raise QuestionTooLong(max_chars=MAX_QUESTION_CHARS, characters=len(cleaned))
    return cleaned


def clean_questions(texts: Iterable[str]) -> list[str]:
    """Each once, in their order; blank ones are left out."""
    return list(dict.fromkeys(clean_question(text) for text in texts if text.strip()))
