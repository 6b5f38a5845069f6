"""The comparison of two indexes of a base on its test questions."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from numpy.typing import NDArray

from refdesk.accounts import Scope
from refdesk.evaluation import TestSets
from refdesk.evaluation.index_comparison import compare_indexes
from refdesk.evaluation.schemas import NewTestSet, QuestionInput
from refdesk.gateway import Gateway, ModelUnavailable
from refdesk.gateway.tables import Model
from refdesk.jobs import JobContext
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.knowledge import Paragraphs
from refdesk.knowledge.questions import Questions
from refdesk.knowledge.rebuilding import IndexBuilds, IndexBuildView
from refdesk.knowledge.rebuilding.jobs import build_index, finish_index_build
from refdesk.knowledge.schemas import AttachedQuestions
from refdesk.retrieval import Retriever
from refdesk.testing.desk import Desk, InstantGateway, make_desk, markdown
from refdesk.testing.embedder import HashingEmbedder


class ContraryEmbedder(HashingEmbedder):
    """Finds first what shares least with a question."""

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return -await super().embed_queries(texts)


class Models(InstantGateway):
    def __init__(self, *embedders: HashingEmbedder) -> None:
        super().__init__(embedders[0])
        self.by_id = {embedder.model_id: embedder for embedder in embedders}

    async def embedder(self, scope: Scope, model_id: UUID, purpose: object = None) -> HashingEmbedder:
        return self.by_id[model_id]


@pytest.fixture
async def desk(database: Database) -> Desk:
    return await make_desk(database)


async def _contrary(desk: Desk) -> ContraryEmbedder:
    contrary = ContraryEmbedder(new_id(), 32)
    async with desk.database.transaction() as session:
        session.add(
            Model(
                id=contrary.model_id,
                workspace_id=desk.workspace_id,
                kind="EMBEDDING",
                provider="embedded",
                name="contrary",
                model_name="contrary",
                parameters={},
                dimensions=32,
            )
        )
    desk.gateway = Models(desk.embedder, contrary)
    return contrary


def _context(desk: Desk) -> JobContext:
    retriever = Retriever(desk.database, desk.gateway, desk.settings)
    return JobContext(desk.settings, desk.database, {Gateway: desk.gateway, Retriever: retriever})


async def _compared(desk: Desk, base_id: UUID, model_id: UUID) -> IndexBuildView:
    workspace = str(desk.workspace_id)
    async with desk.database.transaction() as session:
        build = await IndexBuilds(session, desk.scope).start(base_id, model_id, desk.gateway)
    await build_index(_context(desk), workspace, str(build.id))
    await finish_index_build(_context(desk), workspace, str(build.id))
    assert await desk.jobs("compare-indexes") >= 1
    await compare_indexes(_context(desk), workspace, str(build.id))
    async with desk.database.transaction() as session:
        return await IndexBuilds(session, desk.scope).view(base_id, build.id)


async def _paragraph_ids(desk: Desk, document_id: UUID) -> Sequence[UUID]:
    statement = "SELECT id FROM paragraphs WHERE document_id = :id ORDER BY position"
    return [row[0] for row in await desk.rows(statement, id=document_id)]


async def test_both_figures_are_kept_and_tell_the_better_index(desk: Desk) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(40))
    await desk.process(document_id)
    ids = await _paragraph_ids(desk, document_id)
    async with desk.database.transaction() as session:
        for n in (3, 17):
            draft = AttachedQuestions(contents=[f"What tells Part {n} of ERR-{n:04d}?"])
            await Questions(session, desk.scope).attach(ids[n], draft)
        await TestSets(session, desk.scope).create(
            NewTestSet(
                name=f"set {new_id()}",
                knowledge_base_ids=[base.id],
                questions=[
                    QuestionInput(question="ERR-0021 of Part 21", paragraph_ids=[ids[21]]),
                    QuestionInput(question="Nothing of the kind", expects_nothing=True),
                ],
            )
        )
    contrary = await _contrary(desk)
    done = await _compared(desk, base.id, contrary.model_id)
    figures = done.comparison
    assert figures is not None
    assert (figures.questions, figures.available, figures.attached, figures.error) == (3, 3, 2, None)
    assert (figures.active_model_id, figures.other_model_id) == (desk.embedder.model_id, contrary.model_id)
    by_mode = {one.mode: one for one in figures.modes}
    assert set(by_mode) == {"blend", "embedding"}
    meaning = by_mode["embedding"]
    assert meaning.active.hit_at_5 == 1.0
    assert meaning.active.ndcg_at_10 > meaning.other.ndcg_at_10
    assert meaning.only_active >= 1
    assert meaning.only_other == 0
    assert meaning.disagreement > 0.5
    # Words find the same in both.
    assert by_mode["blend"].other.hit_at_5 == 1.0


async def test_an_attached_question_does_not_find_itself(desk: Desk) -> None:
    """Else every index would be perfect on it."""
    base = await desk.base()
    # Six paragraphs that say what is asked for: the one with the question is never among five by chance.
    moths = b"".join(b"\n## Moth %d\n\nThis moth prefers the velvet curtain %d.\n" % (n, n) for n in range(6))
    document_id = await desk.file(base.id, markdown(30) + moths)
    await desk.process(document_id)
    ids = await _paragraph_ids(desk, document_id)
    async with desk.database.transaction() as session:
        draft = AttachedQuestions(contents=["Which moth prefers the velvet curtain?"])
        await Questions(session, desk.scope).attach(ids[29], draft)
    done = await _compared(desk, base.id, (await _contrary(desk)).model_id)
    assert done.comparison is not None
    assert done.comparison.questions == 1
    assert all(one.active.hit_at_5 == 0.0 for one in done.comparison.modes)


async def test_base_without_test_questions_has_a_comparison_without_figures(desk: Desk) -> None:
    base = await desk.base()
    await desk.process(await desk.file(base.id, markdown(2)))
    done = await _compared(desk, base.id, (await _contrary(desk)).model_id)
    assert done.comparison is not None
    assert (done.comparison.questions, done.comparison.modes) == (0, [])


async def test_model_that_fails_leaves_its_reason_instead_of_figures(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(6))
    await desk.process(document_id)
    ids = await _paragraph_ids(desk, document_id)
    async with desk.database.transaction() as session:
        for n in range(6):
            asked = AttachedQuestions(contents=[f"Part {n} of what?"])
            await Questions(session, desk.scope).attach(ids[n], asked)

    async def fails(self: HashingEmbedder, texts: Sequence[str]) -> Any:
        if texts == ["?"]:  # the question for the size of its vectors
            return self._embed(texts)
        raise ModelUnavailable

    contrary = await _contrary(desk)
    monkeypatch.setattr(HashingEmbedder, "embed_queries", fails)
    done = await _compared(desk, base.id, contrary.model_id)
    assert done.state == "built"
    assert done.comparison is not None
    assert done.comparison.error is not None
    assert done.comparison.error["code"] == "model-unavailable"


async def test_hidden_paragraph_of_the_other_index_is_not_found_either(desk: Desk) -> None:
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(5))
    await desk.process(document_id)
    ids = await _paragraph_ids(desk, document_id)
    async with desk.database.transaction() as session:
        draft = AttachedQuestions(contents=["Part 2 ERR-0002"])
        await Questions(session, desk.scope).attach(ids[2], draft)
        await Paragraphs(session, desk.scope).act(document_id, [ids[2]], "deactivate")
    done = await _compared(desk, base.id, (await _contrary(desk)).model_id)
    assert done.comparison is not None
    assert done.comparison.questions == 0
