"""Texts embedded for a program that asks for vectors, in as many calls as it takes, and what they cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

import numpy as np

from refdesk.accounts import Scope
from refdesk.gateway.calls import UsageReport, Vectors
from refdesk.gateway.clients import Gateway
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.tokens import estimated_tokens


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors in the order of the texts, and the tokens of the texts.

    The tokens are the vendor's where it counted every text; else they are estimated, as for texts whose
    vectors were kept from an earlier call, and `usage.is_estimated` says so.
    """

    vectors: Vectors
    usage: UsageReport


async def embed_texts(
    gateway: Gateway,
    scope: Scope,
    model_id: UUID,
    texts: Sequence[str],
    *,
    input_type: Literal["query", "passage"],
    purpose: Purpose,
) -> Embedded:
    """Raises `UnknownModel`, `WrongModelKind`, `ModelError`s."""
    told: list[UsageReport] = []
    counted = 0

    def hear(usage: UsageReport, texts_read: int) -> None:
        nonlocal counted
        told.append(usage)
        counted += texts_read

    embedder = await gateway.embedder(scope, model_id, purpose, on_usage=hear)
    embed = embedder.embed_queries if input_type == "query" else embedder.embed_passages
    size = embedder.max_batch
    vectors = np.vstack([await embed(texts[at : at + size]) for at in range(0, len(texts), size)])
    if counted == len(texts) and not any(one.is_estimated for one in told):
        return Embedded(vectors, UsageReport(sum(one.input_tokens for one in told), 0))
    return Embedded(vectors, UsageReport(sum(map(estimated_tokens, texts)), 0, is_estimated=True))
