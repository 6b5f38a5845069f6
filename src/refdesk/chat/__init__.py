"""Conversations and runs: from a question to a cited, checked, saved answer.

Owns the stages of an answer, the evidence check, the events of a run and their delivery. Knows nothing of
applications but the `ApplicationProfiles` port, and nothing of how hits are found.
"""

from refdesk.chat.choices import (
    AgentChoices,
    Answering,
    SituationPrompts,
    StageChoice,
    StageChoices,
    TermMapping,
)
from refdesk.chat.cited import paragraphs_cited
from refdesk.chat.context import ToolSource
from refdesk.chat.events import RunEvent
from refdesk.chat.intents.routes import router as intents_router
from refdesk.chat.intents.service import has_intents
from refdesk.chat.picture_routes import router as picture_router
from refdesk.chat.previewing import Preview, prompt_faults
from refdesk.chat.profile import ApplicationProfiles, Mode, RunProfile, RunSubmission, Turn
from refdesk.chat.refusals import is_refusal
from refdesk.chat.remembering import forget_notes, jobs
from refdesk.chat.remembering.routes import router as notes_router
from refdesk.chat.repository import forget_unlisted
from refdesk.chat.routes import Runs, get_runs, router
from refdesk.chat.runs import RunManager
from refdesk.chat.schemas import RunOut
from refdesk.chat.service import RunService
from refdesk.chat.speech_routes import router as speech_router
from refdesk.chat.trace import RunAgain, TraceService, overrides_of
from refdesk.chat.trace import router as trace_router
from refdesk.chat.workdir import router as files_router
from refdesk.knowledge import cited_paragraphs

routers = (router, speech_router, picture_router, intents_router, trace_router, notes_router, files_router)
cited_paragraphs.append(paragraphs_cited)

__all__ = [
    "AgentChoices",
    "Answering",
    "ApplicationProfiles",
    "Mode",
    "Preview",
    "RunAgain",
    "RunEvent",
    "RunManager",
    "RunOut",
    "RunProfile",
    "RunService",
    "RunSubmission",
    "Runs",
    "SituationPrompts",
    "StageChoice",
    "StageChoices",
    "TermMapping",
    "ToolSource",
    "TraceService",
    "Turn",
    "forget_notes",
    "forget_unlisted",
    "get_runs",
    "has_intents",
    "is_refusal",
    "jobs",
    "overrides_of",
    "prompt_faults",
    "router",
    "routers",
]
