"""The model gateway: every call to a model goes through here, whatever the vendor.

Owns model descriptors, their sealed keys, their calibration, and the wires to vendors. Other rooms ask
for a model by id and get a `Completer` or an `Embedder`; they never see a vendor. Knows nothing of
knowledge bases or conversations.
"""

from refdesk.accounts import on_workspace_created
from refdesk.gateway import housekeeping
from refdesk.gateway.caching.routes import router as caching_router
from refdesk.gateway.calibration import FOUND, STEP, Calibration
from refdesk.gateway.calls import (
    Completer,
    Completion,
    CompletionBuilder,
    CompletionEvent,
    CompletionRequest,
    Embedder,
    Finished,
    FinishReason,
    Message,
    NamedTool,
    Notice,
    ReasoningDelta,
    Reranker,
    TextDelta,
    ToolCall,
    ToolCallReady,
    ToolChoice,
    ToolSpec,
    UsageReport,
    Vectors,
)
from refdesk.gateway.clients import Gateway, GatewayDep, get_gateway
from refdesk.gateway.content import Content, ContentPart, ImageNotUnderstood, ImagePart, TextPart
from refdesk.gateway.departures import forget_application
from refdesk.gateway.descriptors import router as descriptors_router
from refdesk.gateway.embedding import Embedded, embed_texts
from refdesk.gateway.errors import (
    ModelAuthentication,
    ModelBadResponse,
    ModelContextExceeded,
    ModelError,
    ModelInterrupted,
    ModelNotThere,
    ModelQuota,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    NoModel,
    UnknownModel,
    WrongModelKind,
)
from refdesk.gateway.films import router as films_router
from refdesk.gateway.gates import DEFAULT_GATES, Gates, Scale, least_score_of
from refdesk.gateway.invoking import router as invoking_router
from refdesk.gateway.kinds import Kind
from refdesk.gateway.limits.routes import router as limits_router
from refdesk.gateway.listening import Listener
from refdesk.gateway.media import (
    MAX_RECORDING_BYTES,
    Recording,
    SpeechRequest,
    Transcription,
    TranscriptionRequest,
)
from refdesk.gateway.metrics import process_families as gateway_families
from refdesk.gateway.metrics import queue_families
from refdesk.gateway.openai_door import ChatLane, ChatRequest, answer_chat, warning_headers
from refdesk.gateway.openai_door import router as openai_router
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.routes import router
from refdesk.gateway.routing.routes import router as routing_router
from refdesk.gateway.schemas import GateFit, GateRecord, GatesView
from refdesk.gateway.service import create_workspace_models, store_gates
from refdesk.gateway.tokens import estimated_tokens
from refdesk.gateway.trying import router as trying_router
from refdesk.gateway.usage.pricing import Money, PriceBook, load_prices
from refdesk.gateway.usage.routes import router as usage_router
from refdesk.gateway.usage.run_calls import RunCall, calls_of_run

on_workspace_created.append(create_workspace_models)

__all__ = [
    "DEFAULT_GATES",
    "FOUND",
    "MAX_RECORDING_BYTES",
    "STEP",
    "Calibration",
    "ChatLane",
    "ChatRequest",
    "Completer",
    "Completion",
    "CompletionBuilder",
    "CompletionEvent",
    "CompletionRequest",
    "Content",
    "ContentPart",
    "Embedded",
    "Embedder",
    "FinishReason",
    "Finished",
    "GateFit",
    "GateRecord",
    "Gates",
    "GatesView",
    "Gateway",
    "GatewayDep",
    "ImageNotUnderstood",
    "ImagePart",
    "Kind",
    "Listener",
    "Message",
    "ModelAuthentication",
    "ModelBadResponse",
    "ModelContextExceeded",
    "ModelError",
    "ModelInterrupted",
    "ModelNotThere",
    "ModelQuota",
    "ModelRateLimited",
    "ModelRefused",
    "ModelRepository",
    "ModelTimeout",
    "ModelUnavailable",
    "Money",
    "NamedTool",
    "NoModel",
    "Notice",
    "PriceBook",
    "Purpose",
    "ReasoningDelta",
    "Recording",
    "Reranker",
    "RunCall",
    "Scale",
    "SpeechRequest",
    "TextDelta",
    "TextPart",
    "ToolCall",
    "ToolCallReady",
    "ToolChoice",
    "ToolSpec",
    "Transcription",
    "TranscriptionRequest",
    "UnknownModel",
    "UsageReport",
    "Vectors",
    "WrongModelKind",
    "answer_chat",
    "caching_router",
    "calls_of_run",
    "create_workspace_models",
    "descriptors_router",
    "embed_texts",
    "estimated_tokens",
    "films_router",
    "forget_application",
    "gateway_families",
    "get_gateway",
    "housekeeping",
    "invoking_router",
    "least_score_of",
    "limits_router",
    "load_prices",
    "openai_router",
    "queue_families",
    "router",
    "routing_router",
    "store_gates",
    "trying_router",
    "usage_router",
    "warning_headers",
]
