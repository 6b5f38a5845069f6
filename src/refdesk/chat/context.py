"""What the stages of one run share: the question, the profile, the models, and where to write events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol
from uuid import UUID

import structlog

from refdesk.accounts import Scope
from refdesk.chat.language import Language, language_of
from refdesk.chat.pictures import PictureRepository
from refdesk.chat.profile import RunProfile, RunSubmission, Turn
from refdesk.chat.recorder import RunRecorder
from refdesk.chat.submission import PlannedRun
from refdesk.gateway import Completer, Content, Embedder, Gateway, ImagePart, Purpose, TextPart
from refdesk.kit.database import Database
from refdesk.knowledge import KnowledgeBaseRepository
from refdesk.retrieval import Retriever, SearchRequest, SearchResult
from refdesk.tools import Toolbox


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

    async def completer(self, scope: Scope, model_id: UUID | None, purpose: Purpose) -> Completer | None:
        """The chat model for a purpose: the profile's, else the purpose's own, else the workspace's default,
        else none."""
        chosen = model_id or await self.gateway.default_model(scope, "LLM", purpose.path)
        return await self.gateway.completer(scope, chosen, purpose) if chosen is not None else None

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


@dataclass(frozen=True, slots=True)
class GivenHistory:
    """Turns that came with the request."""

    given: tuple[Turn, ...]

    async def turns(self, limit: int) -> list[Turn]:
        return list(self.given[-limit:]) if limit else []


@dataclass(frozen=True, slots=True)
class RunContext:
    """One run as its stages see it. `completer` is None where no language model is connected; `rewriter` is
    the one that completes questions, most often the same. `reply` answers what the conversation waits for."""

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
    rewriter: Completer | None = None
    pictures: tuple[ImagePart, ...] = ()
    tools: ToolSource | None = None
    reply: Mapping[str, Any] | None = None

    def with_pictures(self, text: str) -> Content:
        """What is said to a model, with the pictures of the question before it."""
        return (*self.pictures, TextPart(text)) if self.pictures else text

    @classmethod
    async def open(
        cls, services: Services, planned: PlannedRun, submission: RunSubmission, recorder: RunRecorder
    ) -> "RunContext":
        """Find the run's model and conversation. Raises `ModelError`s and `UnknownModel`."""
        from refdesk.chat.memory import StoredHistory

        profile, scope = planned.profile, planned.scope
        asked = structlog.contextvars.get_contextvars().get("request_id") or planned.run.id.hex
        purpose = Purpose(
            "answer", profile.application_id, planned.run.id, str(asked), may_restart=submission.may_restart
        )
        completer = await services.completer(scope, profile.model_id, purpose)
        rewriter = await services.completer(scope, profile.model_id, replace(purpose, path="rewrite"))
        recorder.model_id = str(completer.model_id) if completer is not None else None
        pictures: tuple[ImagePart, ...] = ()
        if planned.run.picture_ids:
            async with services.database.transaction() as session:
                pictures = tuple(await PictureRepository(session, scope).get_many(planned.run.picture_ids))
        history: History = StoredHistory(services.database, scope, planned.run)
        if submission.history is not None:
            history = GivenHistory(submission.history)
        return cls(
            scope=scope,
            profile=profile,
            question=planned.run.question,
            language=_language(profile, planned.run.question),
            recorder=recorder,
            searcher=services.retriever,
            embedders=services,
            history=history,
            database=services.database,
            run_id=planned.run.id,
            conversation_id=planned.run.conversation_id,
            request_id=str(asked),
            completer=completer,
            rewriter=rewriter,
            pictures=pictures,
            tools=services.tools,
            reply=submission.reply,
        )


def _language(profile: RunProfile, question: str) -> Language:
    if profile.language == "zh" or profile.language == "en":
        return profile.language
    return language_of(question)
