"""Applications asked by others: the implementation of the port of tools. Each answer is an ordinary run."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.apps.errors import ApplicationAnswerFailed
from refdesk.apps.repository import ApplicationRepository
from refdesk.chat import RunManager, RunSubmission
from refdesk.kit.database import Database
from refdesk.tools import Answer, AnsweringApplication, SourceOfAnswer

_MOST = 500


class ApplicationAnswers:
    """One a process."""

    def __init__(self, database: Database, runs: RunManager) -> None:
        self._database = database
        self._runs = runs

    async def all(self, scope: Scope) -> Sequence[AnsweringApplication]:
        """The workspace's applications, by name."""
        async with self._database.transaction() as session:
            rows, _ = await ApplicationRepository(session, _unbound(scope)).page(limit=_MOST, after=None)
        return [AnsweringApplication(row.id, row.name, row.description) for row in rows]

    async def ask(self, scope: Scope, application_id: UUID, question: str) -> Answer:
        """Raises `ApplicationAnswerFailed`, `ApplicationNotFound`, and what a submission can raise."""
        scope = _unbound(scope)
        submission = RunSubmission(question, application_id=application_id, history=())
        run = await self._runs.submit(scope, submission)
        finished: dict[str, Any] | None = None
        try:
            async for event in self._runs.follow(scope, run.id):
                if event.name == "run.finished":
                    finished = event.json()["run"]
        except asyncio.CancelledError:
            await asyncio.shield(self._runs.cancel(scope, run.id))
            raise
        if finished is None or finished["state"] != "finished":
            error: dict[str, Any] = (finished["error"] or {}) if finished is not None else {}
            code = error.get("code")
            raise ApplicationAnswerFailed(error.get("message"), run_id=str(run.id), run_code=code)
        form: dict[str, Any] = finished.get("form") or {}
        if form:
            asked = "\n".join(str(form[key]) for key in ("title", "text") if form.get(key))
            return Answer(run.id, asked or finished["answer"], asks_back=True)
        return Answer(run.id, finished["answer"], [_source(one) for one in finished["citations"]])


def _unbound(scope: Scope) -> Scope:
    """The caller without the bond of a key to one application: whom that one asks was chosen by its editors.

    What the person may see of documents stays as it is.
    """
    return replace(scope, resource=None)


def _source(citation: dict[str, Any]) -> SourceOfAnswer:
    return SourceOfAnswer(
        citation["n"], citation["document"], citation["section"] or None, citation.get("page")
    )
