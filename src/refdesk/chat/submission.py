"""From a submission to a stored run: which conversation, which bases, which profile, which question."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import BoundKey, Scope
from refdesk.chat.errors import (
    NothingToAsk,
    QuestionEmpty,
    QuestionTooLong,
    RetryMismatch,
    RunStillActive,
)
from refdesk.chat.events import clean_text
from refdesk.chat.language import language_of
from refdesk.chat.leases import ACTIVE, LEASE_S
from refdesk.chat.pending import PendingRepository, Resumed, reply_text, resume
from refdesk.chat.pictures import PictureRepository
from refdesk.chat.profile import ApplicationProfiles, RunProfile, RunSubmission
from refdesk.chat.repository import ConversationRepository, RunRepository
from refdesk.chat.tables import Conversation, Run
from refdesk.kit.clock import now
from refdesk.kit.ids import new_id
from refdesk.knowledge import KnowledgeBaseRepository

MOST_BASES = 1_000


@dataclass(frozen=True, slots=True)
class Desk:
    """Process-wide facts a submission is checked against."""

    owner: str
    max_question_chars: int
    profiles: ApplicationProfiles


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A stored run, ready to be worked on. `scope` is the caller's without the key's bond to a resource:
    an application's key may read the application's bases through its runs and not otherwise."""

    run: Run
    profile: RunProfile
    scope: Scope
    warnings: Sequence[tuple[str, str]] = ()
    resumed: Resumed | None = None
    begins: bool = False
    summarised: bool = False

    @property
    def question(self) -> str:
        """What is to be answered: the pending question where this run goes on from a reply."""
        return self.resumed.question if self.resumed is not None else self.run.question


async def plan(
    session: AsyncSession, scope: Scope, submission: RunSubmission, desk: Desk, *, starts_now: bool
) -> PlannedRun:
    """Check the submission, store conversation and run. Raises the errors of this room and `NotFound`."""
    conversations = ConversationRepository(session, scope)
    retried = await _retried(session, scope, submission)
    conversation = None
    if submission.conversation_id or retried:
        known = submission.conversation_id or (retried.conversation_id if retried else None)
        assert known is not None
        conversation = await conversations.get(known)
    profile, chosen = await _profile(session, scope, submission, conversation, desk.profiles)
    resumed = None
    if profile.asks_back or submission.reply is not None or retried is not None:
        resumed = await _resumed(session, scope, submission, retried, conversation)
    question = submission.question or (_asked_again(retried) if retried else "")
    if not question and resumed is not None:
        question = reply_text(resumed, language_of(resumed.question))
    question = _checked(question, desk.max_question_chars)
    begins = conversation is None
    if conversation is None:
        conversation = await conversations.add(
            question=question,
            application_id=profile.application_id,
            knowledge_base_ids=chosen,
            listed=submission.listed,
        )
    else:
        conversation.updated_at = now()
    pictures = submission.picture_ids or tuple(retried.picture_ids if retried else ())
    await PictureRepository(session, scope).ask_with(pictures, conversation.id)
    run = Run(
        id=new_id(),
        workspace_id=scope.workspace_id,
        conversation_id=conversation.id,
        user_id=scope.user_id,
        question=question,
        picture_ids=list(pictures),
        answer="",
        state="running" if starts_now else "queued",
        profile=profile.to_json(),
        retrieval={},
        citations=[],
        sentences=[],
        stages=[],
        warnings=[],
        usage={},
        reply=resumed.to_json() if resumed is not None else None,
        retry_of=submission.retry_of,
        cancel_requested=False,
        lease_owner=desk.owner,
        lease_expires_at=now() + timedelta(seconds=LEASE_S),
        started_at=now() if starts_now else None,
        created_at=now(),
    )
    await RunRepository(session, scope).add(run)
    warnings = _warnings(profile, question)
    return PlannedRun(
        run, profile, replace(scope, resource=None), warnings, resumed, begins, conversation.summarised
    )


def _checked(question: str, max_chars: int) -> str:
    question = clean_text(question).strip()
    if not question:
        raise QuestionEmpty
    if len(question) > max_chars:
        raise QuestionTooLong(max_chars=max_chars, chars=len(question))
    return question


async def _retried(session: AsyncSession, scope: Scope, submission: RunSubmission) -> Run | None:
    if submission.retry_of is None:
        return None
    run = await RunRepository(session, scope).get(submission.retry_of)
    if submission.conversation_id not in (None, run.conversation_id):
        raise RetryMismatch
    if run.state in ACTIVE:
        raise RunStillActive
    return run


async def _resumed(
    session: AsyncSession,
    scope: Scope,
    submission: RunSubmission,
    retried: Run | None,
    conversation: Conversation | None,
) -> Resumed | None:
    """What this run goes on from. Whatever is asked, the conversation waits for nothing afterwards; of two
    replies at once one finds something pending."""
    pending = await PendingRepository(session, scope).take(conversation.id) if conversation else None
    if retried is not None and submission.reply is None:
        # What was agreed to once is not agreed to again: a retry of such a run asks before it acts.
        again = retried.reply if not submission.question else None
        return Resumed.of(again) if again and again["kind"] != "approval" else None
    return resume(pending, submission.reply, submission.question)


def _asked_again(retried: Run) -> str:
    reply = retried.reply
    return str(reply["question"]) if reply and reply["kind"] == "approval" else retried.question


async def _profile(
    session: AsyncSession,
    scope: Scope,
    submission: RunSubmission,
    conversation: Conversation | None,
    profiles: ApplicationProfiles,
) -> tuple[RunProfile, Sequence[UUID]]:
    """The profile, and the bases a new conversation keeps: those that were chosen, none for "all of them"."""
    application_id, bases = _target(scope, submission, conversation)
    if application_id is not None:
        scope.require_resource("application", application_id)
        profile = await profiles.profile(session, replace(scope, resource=None), application_id)
    else:
        if scope.resource is not None and scope.resource[0] == "application":
            raise BoundKey.of(*scope.resource)
        for base_id in bases or ():
            scope.require_resource("knowledge_base", base_id)
        named = bool(submission.knowledge_base_ids)
        profile = await _asking(KnowledgeBaseRepository(session, scope), bases, named=named)
    if not profile.knowledge_base_ids and profile.missing_bases:
        raise NothingToAsk
    if submission.mode is not None:
        profile = replace(profile, mode=submission.mode)
    if submission.system_prompt:
        joined = "\n\n".join(part for part in (profile.system_prompt, submission.system_prompt) if part)
        profile = replace(profile, system_prompt=joined)
    return replace(profile, **submission.overrides), bases or ()


def _target(
    scope: Scope, submission: RunSubmission, conversation: Conversation | None
) -> tuple[UUID | None, Sequence[UUID] | None]:
    """The application or the bases: as submitted, else the conversation's, else what the key is bound to."""
    if submission.application_id is not None:
        return submission.application_id, None
    if submission.knowledge_base_ids:
        return None, list(dict.fromkeys(submission.knowledge_base_ids))
    if conversation is not None and conversation.application_id is not None:
        return conversation.application_id, None
    if conversation is not None and conversation.knowledge_base_ids:
        return None, conversation.knowledge_base_ids
    if scope.resource is not None:
        kind, resource_id = scope.resource
        return (resource_id, None) if kind == "application" else (None, [resource_id])
    return None, None


async def _asking(
    repository: KnowledgeBaseRepository, wanted: Sequence[UUID] | None, *, named: bool
) -> RunProfile:
    """A profile over these bases, or over all there are now. Only what the caller `named` must exist; what a
    conversation began with may have been removed since."""
    if wanted is None:
        everything, total = await repository.page(limit=MOST_BASES, after=None, q=None)
        if not everything:
            raise NothingToAsk
        return RunProfile(
            knowledge_base_ids=tuple(base.id for base in everything), unasked_bases=total - len(everything)
        )
    if named:
        return RunProfile(knowledge_base_ids=tuple(base.id for base in await repository.get_many(wanted)))
    found = [base_id for base_id in wanted if await repository.find(base_id) is not None]
    return RunProfile(knowledge_base_ids=tuple(found), missing_bases=len(wanted) - len(found))


def _warnings(profile: RunProfile, question: str) -> list[tuple[str, str]]:
    zh = (profile.language or language_of(question)) == "zh"
    warnings: list[tuple[str, str]] = []
    if missing := profile.missing_bases:
        text = (
            f"{missing} 个所选知识库已被删除，未检索。"
            if zh
            else (f"{missing} of the chosen knowledge bases no longer exist and were not searched.")
        )
        warnings.append(("knowledge-base-gone", text))
    if unasked := profile.unasked_bases:
        text = (
            f"知识库过多，有 {unasked} 个未检索。"
            if zh
            else (f"There are too many knowledge bases; {unasked} of them were not searched.")
        )
        warnings.append(("knowledge-bases-unsearched", text))
    return warnings
