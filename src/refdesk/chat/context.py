"""What the stages of one run share: the question, the profile, the models, and where to write events."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol
from uuid import UUID

import structlog

from refdesk.accounts import Scope
from refdesk.chat.choices import StageName
from refdesk.chat.language import Language, language_of
from refdesk.chat.pending import ConversationPending, Resumed
from refdesk.chat.pictures import PictureRepository
from refdesk.chat.profile import RunProfile, RunSubmission, Turn
from refdesk.chat.recorder import RunRecorder
from refdesk.chat.remembering import Summary
from refdesk.chat.submission import PlannedRun
from refdesk.gateway import Completer, Content, Embedder, Gateway, ImagePart, Purpose, TextPart
from refdesk.kit.database import Database
from refdesk.knowledge import KnowledgeBaseRepository
from refdesk.retrieval import Retriever, SearchRequest, SearchResult
from refdesk.tools import Toolbox, ToolCaller


class Searcher(Protocol):
    """Port to retrieval."""

    async def search(self, scope: Scope, request: SearchRequest) -> SearchResult: ...


class ToolSource(Protocol):
    """Port to the tools of the workspace. What cannot be offered is a problem of the toolbox, no error."""

    async def toolbox(self, scope: Scope, chosen: Sequence[str]) -> Toolbox: ...


@dataclass(frozen=True, slots=True)
class Services:
    """Process-wide objects a run uses."""

    database: Database
    gateway: Gateway
    retriever: Retriever
    tools: ToolSource | None = None

    async def completer(
        self, scope: Scope, model_id: UUID | None, purpose: Purpose, named: str | None = None
    ) -> Completer | None:
        """The chat model for a purpose: the profile's, else that of the purpose the application `named`, else
        the stage's own, else the workspace's default, else none."""
        chosen = model_id or await self.gateway.default_model(scope, "LLM", named, purpose.path)
        return await self.gateway.completer(scope, chosen, purpose) if chosen is not None else None

    async def writes(self, scope: Scope, profile: RunProfile) -> bool:
        """Whether a language model would write the answers of this profile. Raises as `completer` does."""
        return await StageModels(self, scope, profile, Purpose("answer")).of("answer") is not None

    async def embedder(self, scope: Scope, knowledge_base_id: UUID) -> Embedder:
        """The embedding model of a base, to check what was written."""
        async with self.database.transaction() as session:
            base = await KnowledgeBaseRepository(session, scope).get(knowledge_base_id)
        return await self.gateway.embedder(scope, base.embedding_model_id, Purpose("check"))


class Embedders(Protocol):
    """Port to the embedding models of bases."""

    async def embedder(self, scope: Scope, knowledge_base_id: UUID) -> Embedder: ...


class History(Protocol):
    """Port to the earlier turns of a conversation."""

    async def turns(self, limit: int) -> list[Turn]: ...

    async def seen(self, limit: int) -> tuple[list[Turn], frozenset[UUID]]:
        """The last turns, and the runs whose answers are withheld from the caller."""
        ...

    async def summary(self) -> Summary | None:
        """The summary of the turns before them, where there is one; of withheld runs too."""
        ...


@dataclass(frozen=True, slots=True)
class GivenHistory:
    """Turns that came with the request."""

    given: tuple[Turn, ...]

    async def turns(self, limit: int) -> list[Turn]:
        return list(self.given[-limit:]) if limit else []

    async def seen(self, limit: int) -> tuple[list[Turn], frozenset[UUID]]:
        return await self.turns(limit), frozenset()

    async def summary(self) -> Summary | None:
        return None


@dataclass(frozen=True, slots=True)
class StageModels:
    """The language models of one run's stages."""

    services: Services
    scope: Scope
    profile: RunProfile
    purpose: Purpose

    async def of(self, stage: StageName) -> Completer | None:
        choice = self.profile.stages.of(stage)
        own = choice.model_id
        if not choice.on or (own is None and self.profile.answering == "quoting"):
            return None
        restarts = self.purpose.may_restart and self.profile.restart_answers and stage == "answer"
        purpose = replace(self.purpose, path=stage, may_restart=restarts)
        chosen = own or self.profile.model_id
        return await self.services.completer(self.scope, chosen, purpose, self.profile.purpose)


@dataclass(frozen=True, slots=True)
class RunContext:
    """One run as its stages see it. `completer` writes the answer, None where no language model does; the
    other stages ask `model` for theirs. `begins`: nothing was asked in this conversation before. `resumed` is
    the reply to what the conversation waited for; `question` is then the one that was pending."""

    scope: Scope
    profile: RunProfile
    question: str
    language: Language
    recorder: RunRecorder
    searcher: Searcher
    embedders: Embedders
    history: History
    database: Database
    run_id: UUID
    conversation_id: UUID
    request_id: str
    completer: Completer | None
    models: StageModels
    pictures: tuple[ImagePart, ...] = ()
    tools: ToolSource | None = None
    resumed: Resumed | None = None
    begins: bool = False
    # What was asked is kept, so there is something to sum up; not where a request brings its own history.
    stored: bool = True

    async def model(self, stage: StageName) -> Completer | None:
        """The language model of a stage: its own, else the application's, else the workspace's. None where
        there is none. Raises `ModelError`s and `UnknownModel`."""
        return await self.models.of(stage)

    @property
    def caller(self) -> ToolCaller:
        """For whom tools are called: the run's own facts, never a model's word."""
        return ToolCaller(
            self.scope,
            self.language,
            self.profile.application_id,
            self.conversation_id,
            self.run_id,
            self.request_id,
        )

    @property
    def pending(self) -> ConversationPending:
        """Where to leave what the conversation is to wait for."""
        return ConversationPending(self.database, self.scope, self.conversation_id)

    def with_pictures(self, text: str) -> Content:
        """What is said to a model, with the pictures of the question before it."""
        return (*self.pictures, TextPart(text)) if self.pictures else text

    @classmethod
    async def open(
        cls, services: Services, planned: PlannedRun, submission: RunSubmission, recorder: RunRecorder
    ) -> "RunContext":
        """Find the run's model and conversation. Raises `ModelError`s and `UnknownModel`."""
        from refdesk.chat.history import StoredHistory

        profile, scope = planned.profile, planned.scope
        asked = structlog.contextvars.get_contextvars().get("request_id") or planned.run.id.hex
        purpose = Purpose(
            "answer", profile.application_id, planned.run.id, str(asked), may_restart=submission.may_restart
        )
        models = StageModels(services, scope, profile, purpose)
        completer = await models.of("answer")
        recorder.model_id = str(completer.model_id) if completer is not None else None
        pictures: tuple[ImagePart, ...] = ()
        if planned.run.picture_ids:
            async with services.database.transaction() as session:
                pictures = tuple(await PictureRepository(session, scope).get_many(planned.run.picture_ids))
        history: History = StoredHistory(services.database, scope, planned.run, planned.summarised)
        if submission.history is not None:
            history = GivenHistory(submission.history)
        return cls(
            scope=scope,
            profile=profile,
            question=planned.question,
            language=_language(profile, planned.question),
            recorder=recorder,
            searcher=services.retriever,
            embedders=services,
            history=history,
            database=services.database,
            run_id=planned.run.id,
            conversation_id=planned.run.conversation_id,
            request_id=str(asked),
            completer=completer,
            models=models,
            pictures=pictures,
            tools=services.tools,
            resumed=planned.resumed,
            begins=planned.begins and submission.history is None,
            stored=submission.history is None,
        )


def _language(profile: RunProfile, question: str) -> Language:
    if profile.language == "zh" or profile.language == "en":
        return profile.language
    return language_of(question)
