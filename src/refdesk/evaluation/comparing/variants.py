"""From a variant to the questions asked with it: the profile it stands for and the submission of each run."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.chat import ApplicationProfiles, RunProfile, RunSubmission, overrides_of
from refdesk.evaluation.comparing.schemas import Variant


async def profile_of(
    session: AsyncSession,
    scope: Scope,
    profiles: ApplicationProfiles,
    variant: Variant,
    base_ids: tuple[UUID, ...],
) -> tuple[RunProfile, dict[str, Any]]:
    """What a variant answers with, and the fields in which that is not its application's. Nothing is noted of
    whoever asks. Raises `NotFound` for an application that is not there."""
    profile = RunProfile()
    if variant.application_id is not None:
        profile = await profiles.profile(session, scope, variant.application_id)
    changed = overrides_of(profile.to_json(), variant) | {
        "knowledge_base_ids": base_ids,
        "missing_bases": 0,
        "notes": False,
    }
    if variant.strategy is not None:
        changed["strategy"] = variant.strategy
    return replace(profile, **changed), changed


def submission_of(
    variant: Variant, changed: dict[str, Any], question: str, base_ids: tuple[UUID, ...]
) -> RunSubmission:
    """A question as a whole run, in a conversation of its own that is not among its owner's."""
    return RunSubmission(
        question,
        application_id=variant.application_id,
        knowledge_base_ids=None if variant.application_id is not None else base_ids,
        history=(),
        overrides=changed,
        listed=False,
    )
