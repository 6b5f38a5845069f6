"""Models against a real database and a real server on loopback."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from refdesk.accounts import Role, Scope
from refdesk.accounts.tables import Workspace
from refdesk.gateway import Gateway, UnknownModel, WrongModelKind, create_workspace_models
from refdesk.gateway.calibration import default_pairs
from refdesk.gateway.errors import EmbeddedModelFixed, ModelInUse, ModelNameTaken
from refdesk.gateway.probing import ModelProbe
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.schemas import Endpoint, ModelChange, ModelDraft, Parameters
from refdesk.gateway.service import EmbeddingModelFixed, ModelService
from refdesk.kit.crypto import Cipher
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge.tables import KnowledgeBase
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import scripted_model

KEY = "123abcdefgh890"


@pytest.fixture
async def remote():
    async with scripted_model() as running:
        yield running


@pytest.fixture
async def scope(tx):
    workspace = Workspace(id=new_id(), name="Tests")
    tx.add(workspace)
    await tx.flush()
    made = Scope(workspace.id, None, Role.OWNER, "session")
    await create_workspace_models(tx, made)
    return made


@pytest.fixture
async def service(tx, scope, database, tmp_path):
    cipher = Cipher(b"k" * 32)
    gateway = Gateway(Settings(data_dir=tmp_path), database, cipher)
    yield Desk(ModelService(tx, scope, cipher), ModelProbe(scope, gateway, cipher))
    await gateway.close()


@dataclass
class Desk:
    """What the routes do, in one transaction."""

    verbs: ModelService
    probe: ModelProbe

    async def create(self, draft):
        return await self.verbs.create(await self.probe.prepare(draft), as_default=draft.is_default)

    async def check(self, model_id):
        result = await self.probe.check(await self.verbs._models.get(model_id))
        await self.verbs.note_check(model_id, result)
        return result

    def __getattr__(self, name):
        return getattr(self.probe if name in ("remote_names", "cipher") else self.verbs, name)


def chat(remote, **members):
    return ModelDraft.model_validate(
        {"kind": "LLM", "name": "chat", "model_name": "m", "base_url": remote.base_url, "api_key": KEY}
        | members
    )


def embedding(remote, **members):
    return chat(remote, kind="EMBEDDING", name="vectors", **members)


def answering_vector(text: str) -> list[float]:
    """Texts of one built-in pair that match share a direction; others do not."""
    matching = {question: number for number, (question, _, label) in enumerate(default_pairs()) if label}
    passages = {passage: question for question, passage, label in default_pairs() if label}
    number = matching.get(text, matching.get(passages.get(text, ""), sum(text.encode()) % 97))
    generator = np.random.default_rng(number)
    noise = np.random.default_rng(sum(text.encode())).normal(size=32)
    return (generator.normal(size=32) + 0.5 * noise).tolist()


async def test_a_new_workspace_has_the_embedded_model_as_its_default(tx, scope):
    model = await ModelRepository(tx, scope).default("EMBEDDING")
    assert model is not None
    assert (model.provider, model.dimensions) == ("embedded", 384)


async def test_a_key_is_sealed_and_shown_masked_only(service, remote):
    model = await service.create(chat(remote))
    assert model.credential is not None
    assert KEY.encode() not in model.credential
    assert model.credential_hint == "123******890"
    assert service.cipher.open(model.credential, context=model.id.bytes) == KEY


async def test_the_first_chat_model_becomes_the_default_and_a_chosen_one_replaces_it(
    tx, scope, service, remote
):
    first = await service.create(chat(remote))
    second = await service.create(chat(remote, name="second"))
    assert (first.is_default, second.is_default) == (True, False)
    await service.change(second.id, ModelChange(is_default=True))
    await tx.refresh(first)
    assert (first.is_default, second.is_default) == (False, True)
    await service.delete(second.id)
    default = await ModelRepository(tx, scope).default("LLM")
    assert default is not None
    assert default.id == first.id


async def test_a_connection_test_tells_the_vendors_own_words(service, remote):
    model = await service.create(chat(remote))
    remote.then(script.answer("ready"), script.error(401, f"Incorrect API key: {KEY}"))
    good = await service.check(model.id)
    assert (good.ok, good.sample) == (True, "ready")
    bad = await service.check(model.id)
    assert not bad.ok
    assert bad.error is not None
    assert bad.error["code"] == "model-authentication"
    assert bad.error["details"]["vendor_message"] == "Incorrect API key: 123******890"
    assert model.last_check == bad.model_dump(mode="json")


async def test_an_embedding_model_is_measured_when_added(service, remote):
    remote.always(script.embeddings(answering_vector))
    model = await service.create(embedding(remote))
    assert model.dimensions == 32
    assert model.calibration is not None
    assert model.calibration["kind"] == "piecewise"


async def test_an_embedding_model_that_tells_nothing_apart_is_refused(service, remote):
    remote.always(script.embeddings(lambda text: [1.0, float(len(text) % 7), 0.5]))
    with pytest.raises(Exception, match="does not tell matching passages"):
        await service.create(embedding(remote))


async def test_an_embedding_models_identity_cannot_be_changed(service, remote):
    remote.always(script.embeddings(answering_vector))
    model = await service.create(embedding(remote))
    with pytest.raises(EmbeddingModelFixed):
        await service.change(model.id, ModelChange(model_name="other"))
    with pytest.raises(EmbeddingModelFixed):
        await service.change(model.id, ModelChange(parameters=Parameters(dimensions=16)))


async def test_a_stored_key_does_not_follow_the_model_to_another_server(service, remote):
    model = await service.create(chat(remote))
    await service.change(model.id, ModelChange.model_validate({"base_url": "http://127.0.0.1:9/v1"}))
    assert (model.credential, model.credential_hint) == (None, None)


@pytest.mark.parametrize("key", ["密钥", "sk-1\r\nX-Evil: c", "sk\x00"])
async def test_a_key_that_no_header_can_hold_is_refused(remote, key):
    with pytest.raises(ValueError, match="printable ASCII"):
        chat(remote, api_key=key)


async def test_blanks_around_a_pasted_key_are_dropped(service, remote):
    model = await service.create(chat(remote, api_key=f"  {KEY}\n"))
    assert service.cipher.open(model.credential, context=model.id.bytes) == KEY


async def test_two_models_cannot_have_one_name(service, remote):
    await service.create(chat(remote))
    with pytest.raises(ModelNameTaken):
        await service.create(chat(remote))


async def test_the_embedded_model_stays_as_it_is(tx, scope, service):
    model = await ModelRepository(tx, scope).default("EMBEDDING")
    assert model is not None
    with pytest.raises(EmbeddedModelFixed):
        await service.delete(model.id)
    with pytest.raises(EmbeddedModelFixed):
        await service.change(model.id, ModelChange(name="mine"))


async def test_a_model_that_bases_are_indexed_with_cannot_be_deleted(tx, scope, service, remote):
    remote.always(script.embeddings(answering_vector))
    model = await service.create(embedding(remote))
    tx.add(KnowledgeBase(workspace_id=scope.workspace_id, name="b", embedding_model_id=model.id))
    await tx.flush()
    with pytest.raises(ModelInUse):
        await service.delete(model.id)


async def test_another_workspace_does_not_see_the_model(tx, service, remote):
    model = await service.create(chat(remote))
    other = Workspace(id=new_id(), name="Other")
    tx.add(other)
    await tx.flush()
    with pytest.raises(UnknownModel):
        await ModelRepository(tx, Scope.system(other.id)).get(model.id)


async def test_the_vendors_list_is_read(service, remote):
    endpoint = Endpoint.model_validate({"base_url": remote.base_url, "api_key": KEY})
    assert await service.remote_names(endpoint) == ["scripted-chat", "scripted-embedding"]
    assert remote.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_clients_are_kept_until_the_model_changes(database, remote, tmp_path):
    cipher = Cipher(b"k" * 32)
    gateway = Gateway(Settings(data_dir=tmp_path), database, cipher)
    async with database.transaction() as session:
        workspace = Workspace(id=new_id(), name="Kept")
        session.add(workspace)
        await session.flush()
        scope = Scope(workspace.id, None, Role.OWNER, "session")
        prepared = await ModelProbe(scope, gateway, cipher).prepare(chat(remote))
        model = await ModelService(session, scope, cipher).create(prepared)

    async def client():
        governed: Any = await gateway.completer(scope, model.id)
        return governed.client_of(governed.model)

    first = await client()
    assert await client() is first
    async with database.transaction() as session:
        change = ModelChange(parameters=Parameters(temperature=0.1))
        await ModelService(session, scope, cipher).change(model.id, change)
    assert await client() is not first
    with pytest.raises(WrongModelKind):
        await gateway.embedder(scope, model.id)
    assert await gateway.default_model(scope, "LLM") == model.id
    await gateway.close()


async def test_a_server_that_drips_is_left_after_the_deadline(service, remote, monkeypatch):
    monkeypatch.setattr("refdesk.gateway.probing.CHECK_TIMEOUT_S", 0.3)
    model = await service.create(chat(remote))
    remote.always(script.events([script.delta("x")] * 1000, delay_s=0.05))
    result = await service.check(model.id)
    assert result.error is not None
    assert result.error["code"] == "model-timeout"
