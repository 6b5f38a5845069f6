"""Stage `memory`: what was said before. The last turns whole, older ones in their summary, a person's notes.

They are read at once; any of them that cannot be read is left out, and never fails the answer.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

import structlog

from refdesk.chat.choices import StageName
from refdesk.chat.context import RunContext
from refdesk.chat.profile import Turn
from refdesk.chat.remembering import NoteRepository, Summary
from refdesk.chat.sight import MEMORY_STAGE, READ_RUNS
from refdesk.chat.stages.stage import FAILURES, Stage, code_of
from refdesk.knowledge import sees_all

log = structlog.get_logger(__name__)


# Turns beyond the last ones that may be told whole because no summary has them yet.
SLACK = 4


@dataclass(frozen=True, slots=True)
class Memory:
    """What the answer may know of the conversation: turns oldest first, the summary of those before them,
    and what the person had noted about themselves; `notes` is None where nothing may be noted."""

    turns: tuple[Turn, ...] = ()
    summary: str = ""
    notes: tuple[str, ...] | None = None


class LoadMemory(Stage[None, Memory]):
    """Reads the conversation."""

    name: ClassVar[StageName] = MEMORY_STAGE
    warning = (
        "memory-unavailable",
        {
            "zh": "未能读取之前的对话，本次回答没有参考上文。",
            "en": "The conversation so far could not be read; the answer does not know of it.",
        },
    )

    def needed(self, context: RunContext, given: None) -> bool:
        reads = context.completer is not None or not context.begins
        return (reads and context.profile.history_turns > 0) or _has_notes(context)

    def without(self, context: RunContext, given: None) -> Memory:
        return Memory()

    async def run(self, context: RunContext, given: None, detail: dict[str, Any]) -> Memory:
        failed: list[str] = []
        (turns, withheld), summary, notes = await asyncio.gather(
            _kept("turns", _turns(context), (list[Turn](), None), failed),
            _kept("summary", _summary(context), None, failed),
            _kept("notes", _notes(context), None, failed),
        )
        if failed:
            detail["failed"] = failed
        if "turns" in failed:
            code, words = self.warning
            context.recorder.warning(code, words[context.language])
        told = _told(context, summary, withheld)
        kept = _whole(turns, told, context.profile.history_turns)
        detail["turns"] = len(kept)
        if told is not None:
            detail["summary_chars"] = len(told.text)
        if notes is not None:
            detail["notes"] = len(notes)
        read = {turn.run_id for turn in kept if turn.run_id is not None}
        # The answer rests on what the summary was made from as well.
        read |= told.run_ids if told is not None else frozenset()
        detail[READ_RUNS] = sorted(str(run_id) for run_id in read)
        return Memory(tuple(kept), told.text if told is not None else "", notes)


async def _kept[T](name: str, work: Awaitable[T], otherwise: T, failed: list[str]) -> T:
    """What the work gives, or something to go on with."""
    try:
        return await work
    except FAILURES as error:
        log.warning("chat.memory-failed", part=name, error=code_of(error))
        failed.append(name)
        return otherwise


async def _turns(context: RunContext) -> tuple[list[Turn], frozenset[UUID] | None]:
    limit = context.profile.history_turns
    if context.begins or limit == 0:
        return [], frozenset()
    return await context.history.seen(limit + (SLACK if context.profile.summary_chars else 0))


async def _summary(context: RunContext) -> Summary | None:
    uses = context.completer is not None and context.profile.summary_chars > 0 and not context.begins
    return await context.history.summary() if uses else None


async def _notes(context: RunContext) -> tuple[str, ...] | None:
    application_id = context.profile.application_id
    if not _has_notes(context) or application_id is None:
        return None
    async with context.database.transaction() as session:
        return await NoteRepository(session, context.scope).told(application_id)


def _has_notes(context: RunContext) -> bool:
    """Whether there may be notes: of a person, not of a key, and read by a model."""
    person = context.scope.user_id is not None and context.scope.api_key_id is None
    return context.profile.notes and person and context.completer is not None


def _told(context: RunContext, summary: Summary | None, withheld: frozenset[UUID] | None) -> Summary | None:
    """The summary if nothing it was made from is withheld; where that is unknown, for those who see all."""
    if summary is None:
        return None
    if withheld is None:
        return summary if sees_all(context.scope) else None
    return summary if not summary.run_ids & withheld else None


def _whole(turns: Sequence[Turn], summary: Summary | None, limit: int) -> list[Turn]:
    """The last turns, with those before them that no summary tells of as far as they were read."""
    last = list(turns[-limit:]) if limit else []
    if summary is None:
        return last
    missed = [turn for turn in turns[: len(turns) - len(last)] if turn.run_id not in summary.run_ids]
    return [*missed, *last]
