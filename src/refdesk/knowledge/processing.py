"""How a document gets from its file to a searchable index: parsing → splitting → indexing, then ready.

Owns the order of the stages and what each leaves behind. A run first claims the document with a fresh
`attempt`; every write locks the document's row and stops the run if another attempt, a cancel or a deletion
is found there. So a run that was taken for dead, or is no longer wanted, can do no harm.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway import Gateway
from refdesk.jobs import JobContext
from refdesk.kit.border_types import clean_json, clean_text
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id
from refdesk.knowledge import blobs, parsed_texts
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.errors import ContentLost
from refdesk.knowledge.index_run import IndexRun, Superseded, base_index
from refdesk.knowledge.metadata import found_metadata
from refdesk.knowledge.parse_settings import parse_options
from refdesk.knowledge.parsing import NoText
from refdesk.knowledge.passwords import open_password
from refdesk.knowledge.qa import renewing
from refdesk.knowledge.reading import Limits, Reading, read_in_subprocess, split_in_subprocess
from refdesk.knowledge.repository import DocumentRepository
from refdesk.knowledge.schemas import SplitOptions
from refdesk.knowledge.tables import Blob, Document
from refdesk.knowledge.versions import (
    NewText,
    VersionRepository,
    bring_back,
    fresh_records,
    prune,
    take_text,
)
from refdesk.knowledge.views import split_settings

log = structlog.get_logger(__name__)

# How often a run asks whether it is still wanted while it parses or waits for a model.
WATCH_S = 1.0
# Of a file that holds others: how many of them were read, and how many were not.
FILE_COUNTS = ("files_read", "files_left_out")
_WAITING = ("queued", "parsing", "splitting", "indexing")


@dataclass(frozen=True, slots=True)
class _Claim:
    attempt: UUID
    name: str
    kind: str | None
    blob: Blob | None
    options: SplitOptions
    is_split: bool
    restores: bool
    is_draft: bool
    password_sealed: bytes | None


class DocumentRun:
    """One run of the job `process-document`."""

    def __init__(self, context: JobContext, scope: Scope, document_id: UUID) -> None:
        self._context = context
        self._database = context.database
        self._scope = scope
        self._document_id = document_id
        self._attempt = new_id()
        self._stage = "parsing"
        self._pages: tuple[int, int] | None = None

    async def run(self) -> None:
        """Bring the document to `ready`, or to `failed` with the reason. Does nothing if nothing is to do."""
        claim = await self._claim()
        if claim is None:
            return
        try:
            await self._while_owned(self._work(claim))
        except Superseded:
            log.info("document.superseded", document_id=str(self._document_id))
        except (OperationalError, InterfaceError):
            raise  # the database is out of reach: nothing can be recorded, the queue tries again
        except AppError as error:
            await self._fail(failure_of(error, self._stage))
        except Exception:  # noqa: BLE001 - the edge of a job: recorded with an id, shown to the person
            await self._fail(unexpected_failure(self._stage, self._document_id))

    async def _work(self, claim: _Claim) -> None:
        if not claim.is_split:
            await (self._bring_back() if claim.restores else self._read(claim))
        if claim.is_draft:
            await self._finish_draft()
            return
        self._stage = "indexing"
        run = IndexRun(
            self._database,
            self._context.service(Gateway),
            self._scope,
            self._document_id,
            self._owned,
            batch_size=self._context.settings.index_batch_size,
        )
        await run.until_nothing_is_pending()

    async def _read(self, claim: _Claim) -> None:
        if claim.blob is None:
            raise ContentLost
        if claim.kind == renewing.KIND:
            await self._read_rows(claim, claim.blob)
            return
        settings = self._context.settings
        encoded = await parsed_texts.load(
            self._database, self._scope, self._document_id, claim.options, claim.blob
        )
        if encoded is not None:
            await self._enter("splitting")
            split_again = await split_in_subprocess(
                encoded,
                split_settings(claim.options),
                Limits.of(settings),
                max_output_bytes=settings.parse_max_output_bytes,
            )
            await self._save(split_again, None, is_kept=True)
            return
        began = time.monotonic()
        reading = await self._read_file(claim, claim.blob)
        took_s = time.monotonic() - began
        kept: IncomingFile | None = None
        try:
            if parsed_texts.is_worth_keeping(reading.summary.warnings, took_s, is_draft=claim.is_draft):
                data = await asyncio.to_thread(
                    parsed_texts.packed, reading.encoded, claim.options, claim.blob
                )
                kept = await parsed_texts.write(self._database, self._scope, data)
            await self._save(reading, kept, is_kept=False)
        except BaseException:
            if kept is not None:
                await kept.discard()
            raise

    async def _read_rows(self, claim: _Claim, blob: Blob) -> None:
        """A table of questions stays one, whatever its file says now."""
        data = await blobs.load(self._database, self._scope, blob)
        text = await renewing.read_rows(data, claim.name, self._context.settings)
        before, asked = await self._asked_before(blob), renewing.asked_in(text)
        async with self._database.transaction() as session:
            document = await self._owned(session)
            index = await base_index(session, self._scope, document.knowledge_base_id)
            await take_text(session, self._scope, index, document, text)
            await renewing.renew_questions(session, self._scope, document, before, asked)
            await self._prune(session, document)
            document.state = "indexing"

    async def _asked_before(self, blob: Blob) -> renewing.Asked:
        """What the file of the present version asks, so that it can be told from what people asked."""
        async with self._database.transaction() as session:
            document = await self._owned(session)
            present = await DocumentRepository(session, self._scope).blob(document)
        if present is None or present.id == blob.id:
            return {}
        try:
            data = await blobs.load(self._database, self._scope, present)
            return renewing.asked_in(await renewing.read_rows(data, document.name, self._context.settings))
        except AppError as error:  # then all its questions stay, as if people had asked them
            log.info("qa.former_unreadable", code=error.code, document_id=str(self._document_id))
            return {}

    async def _claim(self) -> _Claim | None:
        """Take the right to write, whoever had it: the queue's lock says that no other run is alive."""
        async with self._database.transaction() as session:
            repository = DocumentRepository(session, self._scope)
            document = await repository.find(self._document_id, lock=True)
            if document is None or document.state not in _WAITING or document.cancel_requested:
                return None
            is_split = document.split_at is not None
            pending = await VersionRepository(session, self._scope).pending(document)
            source = document if pending is None else pending
            document.attempt = self._attempt
            document.state = self._stage = "indexing" if is_split else "parsing"
            document.error = None
            if not is_split:
                document.progress_done = document.progress_total = 0
            return _Claim(
                attempt=self._attempt,
                name=source.name,
                kind=document.kind,
                blob=await repository.blob(source),
                options=SplitOptions.model_validate(source.split_settings),
                is_split=is_split,
                restores=pending is not None and pending.restores is not None,
                is_draft=document.is_draft,
                password_sealed=document.password_sealed,
            )

    async def _owned(self, session: AsyncSession) -> Document:
        """The document, locked until the transaction ends. Raises `Superseded` if it is not ours to write."""
        document = await DocumentRepository(session, self._scope).find(self._document_id, lock=True)
        if document is None or document.attempt != self._attempt or document.cancel_requested:
            raise Superseded
        return document

    async def _while_owned(self, work: Awaitable[None]) -> None:
        """Run `work`, and stop it as soon as the document is not ours any more."""
        task = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({task}, timeout=WATCH_S))[0]:
                await self._look()
            task.result()
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task

    async def _enter(self, stage: str) -> None:
        self._stage = stage
        async with self._database.transaction() as session:
            (await self._owned(session)).state = stage

    async def _look(self) -> None:
        """See whether the document is still ours, and note how many of its pages have been read."""
        pages, self._pages = self._pages, None
        stage = self._stage
        async with self._database.transaction() as session:
            repository = DocumentRepository(session, self._scope)
            news = pages is not None or stage == "splitting"
            document = await repository.find(self._document_id, lock=news)
            if document is None or document.attempt != self._attempt:
                raise Superseded
            if document.state != "parsing":
                return
            if pages is not None:
                document.progress_done, document.progress_total = pages
            if stage == "splitting":
                document.state = "splitting"

    def _note_pages(self, done: int, total: int) -> None:
        self._pages = (done, total)

    def _note_splitting(self) -> None:
        self._stage = "splitting"

    async def _read_file(self, claim: _Claim, blob: Blob) -> Reading:
        data = await blobs.load(self._database, self._scope, blob)
        settings = self._context.settings
        password = open_password(settings, self._document_id, claim.password_sealed)
        return await read_in_subprocess(
            data,
            claim.name,
            parse_options(claim.options, settings, password),
            split_settings(claim.options),
            Limits.of(settings),
            on_progress=self._note_pages,
            on_splitting=self._note_splitting,
        )

    async def _save(self, reading: Reading, kept: IncomingFile | None, *, is_kept: bool) -> None:
        """Make this the document's text: paragraphs, index, snapshot of the version before, all at once."""
        parsed, result = reading.summary, reading.result
        if not result.paragraphs:
            raise NoText
        text = NewText(
            paragraphs=await asyncio.to_thread(fresh_records, result.paragraphs),
            kind=parsed.kind,
            found_meta=found_metadata(parsed.meta),
            coverage=parsed.coverage,
            warnings=[
                {
                    "code": warning.code,
                    "message": clean_text(warning.message),
                    "page": warning.page,
                    **({"details": clean_json(dict(warning.details))} if warning.details else {}),
                }
                for warning in (*parsed.warnings, *result.warnings)
            ],
            report={
                "extracted_chars": parsed.extracted_chars,
                "kept_chars": parsed.kept_chars,
                "removed_chars": result.removed_chars + parsed.meta.get("running_chars", 0),
                "ocr_pages": len(parsed.meta.get("ocr_pages") or ()),
                **{key: parsed.meta[key] for key in FILE_COUNTS if key in parsed.meta},
            },
        )
        async with self._database.transaction() as session:
            document = await self._owned(session)
            index = None
            if not document.is_draft:
                index = await base_index(session, self._scope, document.knowledge_base_id)
            await take_text(session, self._scope, index, document, text)
            await self._prune(session, document)
            if not is_kept:
                await parsed_texts.keep(session, self._scope, document, kept)
            if document.is_draft:
                document.state, document.attempt = "draft", None
            else:
                document.state = "indexing"

    async def _prune(self, session: AsyncSession, document: Document) -> None:
        await prune(session, self._scope, document, self._context.settings.kept_versions)

    async def _finish_draft(self) -> None:
        """For a preview that was split before, and whose job was lost on its last step."""
        with contextlib.suppress(Superseded):
            async with self._database.transaction() as session:
                document = await self._owned(session)
                document.state, document.attempt = "draft", None

    async def _bring_back(self) -> None:
        await self._enter("splitting")
        async with self._database.transaction() as session:
            document = await self._owned(session)
            pending = await VersionRepository(session, self._scope).pending(document)
            if pending is None:
                raise Superseded
            index = await base_index(session, self._scope, document.knowledge_base_id)
            await bring_back(session, self._scope, index, document, pending)
            await self._prune(session, document)
            await parsed_texts.keep(session, self._scope, document, None)
            document.state = "indexing"

    async def _fail(self, failure: dict[str, Any]) -> None:
        with contextlib.suppress(Superseded):
            async with self._database.transaction() as session:
                document = await self._owned(session)
                document.state = "failed"
                document.error = failure
                document.attempt = None


class ParagraphRun:
    """One run of the job `index-paragraphs`: what was edited in a document that is ready."""

    def __init__(self, context: JobContext, scope: Scope, document_id: UUID) -> None:
        self._context = context
        self._scope = scope
        self._document_id = document_id

    async def run(self) -> None:
        """Index what is pending. A document that is being processed is left to that run."""
        run = IndexRun(
            self._context.database,
            self._context.service(Gateway),
            self._scope,
            self._document_id,
            self._ready,
            batch_size=self._context.settings.index_batch_size,
            finishes=False,
        )
        try:
            await run.until_nothing_is_pending()
        except Superseded:
            return
        except (OperationalError, InterfaceError):
            raise
        except AppError as error:
            await self._fail(failure_of(error, "indexing"))
        except Exception:  # noqa: BLE001 - the edge of a job, as above
            await self._fail(unexpected_failure("indexing", self._document_id))

    async def _ready(self, session: AsyncSession) -> Document:
        document = await DocumentRepository(session, self._scope).find(self._document_id, lock=True)
        if document is None or document.state not in ("ready", "failed", "cancelled"):
            raise Superseded
        if (
            document.state != "ready"
            and await VersionRepository(session, self._scope).pending(document) is None
        ):
            raise Superseded
        return document

    async def _fail(self, failure: dict[str, Any]) -> None:
        with contextlib.suppress(Superseded):
            async with self._context.database.transaction() as session:
                document = await self._ready(session)
                document.state = "failed"
                document.error = failure


def failure_of(error: AppError, stage: str) -> dict[str, Any]:
    """An expected failure as it is kept on the document."""
    return {
        "code": error.code,
        "stage": stage,
        "reason": error.text,
        "hint": error.hint_text,
        "details": clean_json(error.details),
    }


def unexpected_failure(stage: str, document_id: UUID) -> dict[str, Any]:
    """The exception being handled, logged under an id that the document shows."""
    error_id = new_id().hex[-12:]
    log.exception("document.crashed", error_id=error_id, stage=stage, document_id=str(document_id))
    return {
        "code": "internal",
        "stage": stage,
        "reason": "Something went wrong inside Refdesk.",
        "hint": f"The worker's log has the details under {error_id}. Retrying may help.",
        "error_id": error_id,
    }
