"""A published test set as a knowledge base for the time of a calibration, made and removed over HTTP."""

import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from refdesk.cli._client import Client, RequestFailed
from refdesk.cli._indexing import wait_for

if TYPE_CHECKING:
    from refdesk.evaluation import Passage, RetrievalSet

BASES = "/api/v1/knowledge-bases"
MOST_QUESTIONS = 2_000
"""Of one calibration; of a larger set as many are taken, evenly spread."""

_BATCH_DOCUMENTS, _BATCH_BYTES = 200, 1_000_000
_MOST_EXPECTED = 100


@asynccontextmanager
async def questions_over_corpus(
    client: Client, folder: Path, model_id: str | None
) -> AsyncGenerator[dict[str, Any]]:
    """The set's questions over a base of its corpus, as members of a calibration's request.

    The base is called after the folder, is there for all of the workspace to see, and goes when the block
    ends. Raises `TestSetUnreadable`, `TestSetEmpty`.
    """
    from refdesk.evaluation import load_retrieval_set

    judged = load_retrieval_set(
        folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv", sample=MOST_QUESTIONS
    )
    set_name = _name_of(folder)
    name = f"Calibration {set_name} {uuid4().hex[:8]}"
    base = await client.post(BASES, {"name": name, "embedding_model_id": model_id})
    try:
        ids = await _fill(client, base["id"], judged.passages)
        yield {
            "set_name": set_name,
            "knowledge_base_ids": [base["id"]],
            "questions": _questions(judged, ids),
        }
    finally:
        await client.delete(f"{BASES}/{base['id']}")


def _name_of(folder: Path) -> str:
    return folder.resolve().name[:100] or "corpus"


async def _fill(client: Client, base_id: str, passages: Sequence["Passage"]) -> dict[str, str]:
    """The id of the document that each passage has become, all of them indexed."""
    ids: list[str] = []
    said = [passage for passage in passages if passage.text.strip()]
    for batch in _batches([_document(passage) for passage in said]):
        made = await client.post(f"{BASES}/{base_id}/documents", {"documents": batch})
        ids += [document["id"] for document in made["items"]]
    documents = await wait_for(client, base_id, ids, show=not client.as_json)
    failed = [document for document in documents if document["state"] != "ready"]
    if failed or len(documents) != len(said):
        raise RequestFailed(f"{len(failed)} passages of the corpus could not be indexed.")
    return {passage.id: made for passage, made in zip(said, ids, strict=True)}


def _document(passage: "Passage") -> dict[str, Any]:
    paragraph = {"title": passage.title[:500], "content": passage.text}
    return {"name": passage.id[:500], "paragraphs": [paragraph]}


def _batches(documents: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    size = 0
    for document in documents:
        length = len(json.dumps(document, ensure_ascii=False).encode())
        if batch and (len(batch) == _BATCH_DOCUMENTS or size + length > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += length
    if batch:
        yield batch


def _questions(judged: "RetrievalSet", ids: dict[str, str]) -> list[dict[str, Any]]:
    answerable = [
        {
            "id": query.id,
            "question": query.text,
            "documents": [ids[key] for key in query.relevance if key in ids][:_MOST_EXPECTED],
        }
        for query in judged.queries
    ]
    room = MOST_QUESTIONS - len(answerable)
    unanswerable = [
        {"id": query.id, "question": query.text, "expects_nothing": True} for query in judged.unanswerable
    ]
    return answerable + unanswerable[: max(room, 0)]
