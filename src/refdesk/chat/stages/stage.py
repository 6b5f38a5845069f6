"""What a stage is: one `run(input) -> output` with a deadline, a record, and what to go on with if it fails.

Whatever goes wrong inside a stage that degrades costs its gain and a warning, never the answer. A stage that
is off, or has nothing to do, leaves no record.
"""

import asyncio
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import structlog
from sqlalchemy.exc import SQLAlchemyError

from refdesk.chat.choices import StageName
from refdesk.chat.context import RunContext
from refdesk.chat.language import Language
from refdesk.kit.errors import AppError

log = structlog.get_logger(__name__)

# What may go wrong in a stage without being a fault of the program.
FAILURES = (AppError, TimeoutError, SQLAlchemyError, OSError)


class Stage[Given, Gained](ABC):
    """`warning` is the code and the words (zh, en) that tell of its failing."""

    name: ClassVar[StageName]
    warning: ClassVar[tuple[str, dict[Language, str]]]

    def needed(self, context: RunContext, given: Given) -> bool:
        """Whether there is anything to do."""
        return True

    @abstractmethod
    async def run(self, context: RunContext, given: Given, detail: dict[str, Any]) -> Gained:
        """The stage's work; `detail` is its record."""

    @abstractmethod
    def without(self, context: RunContext, given: Given) -> Gained:
        """What the answer goes on with where the stage is off, has nothing to do or failed."""


async def perform[Given, Gained](stage: Stage[Given, Gained], context: RunContext, given: Given) -> Gained:
    """Run a stage as the application chose it."""
    choice = context.profile.stages.of(stage.name)
    if not choice.on or not stage.needed(context, given):
        return stage.without(context, given)
    async with context.recorder.stage(stage.name) as detail:
        try:
            async with asyncio.timeout(choice.deadline_s):
                return await stage.run(context, given, detail)
        except FAILURES as error:
            detail["failed"] = code_of(error)
            log.warning("chat.stage-failed", stage=stage.name, error=code_of(error))
            code, words = stage.warning
            context.recorder.warning(code, words[context.language])
            return stage.without(context, given)


def code_of(error: BaseException) -> str:
    """A stable word for what went wrong."""
    if isinstance(error, AppError):
        return error.code
    return "timeout" if isinstance(error, TimeoutError) else type(error).__name__
