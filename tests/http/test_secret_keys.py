"""The keys that seal credentials are changed while everything runs."""

from uuid import UUID

from tests.http.world import World, ok, problem

from refdesk.gateway.tables import Model
from refdesk.kit.ids import new_id
from refdesk.kit.master_keys import load_cipher
from refdesk.kit.settings import Settings

KEYS = "/api/v1/secret-keys"


async def connected(world: World, key: str) -> UUID:
    """A model whose credential is sealed."""
    model_id = new_id()
    async with world.database.transaction() as session:
        session.add(
            Model(
                id=model_id,
                workspace_id=world.workspace_id,
                kind="LLM",
                provider="openai-compatible",
                name=world.new_name("model"),
                model_name="chat",
                base_url="https://models.example/v1",
                credential=load_cipher(Settings(data_dir=world.data_dir)).seal(key, context=model_id.bytes),
                parameters={},
            )
        )
    return model_id


async def opened(world: World, model_id: UUID) -> tuple[str | None, str]:
    """The id of the key the credential is sealed with, and the credential."""
    cipher = load_cipher(Settings(data_dir=world.data_dir))
    async with world.database.transaction() as session:
        sealed = (await session.get_one(Model, model_id)).credential
    assert sealed is not None
    return cipher.sealed_with(sealed), cipher.open(sealed, context=model_id.bytes)


async def test_a_new_key_seals_everything_and_the_former_one_can_be_forgotten(world: World) -> None:
    model_id = await connected(world, "sk-密钥-1")
    before = ok(await world.administrator.get(KEYS))
    assert before["origin"] == "file"
    first = before["keys"][0]["id"]
    done = ok(await world.administrator.post(f"{KEYS}/rotation"))
    assert done["sealed_anew"] >= 1
    second, former = done["keys"]
    assert (second["is_present"], former["id"], former["is_present"]) == (True, first, False)
    assert (second["values"] >= 1, former["values"]) == (True, 0)
    assert await opened(world, model_id) == (second["id"], "sk-密钥-1")
    forgotten = ok(await world.administrator.delete(f"{KEYS}/former"))
    assert [key["id"] for key in forgotten["keys"]] == [second["id"]]
    assert await opened(world, model_id) == (second["id"], "sk-密钥-1")
    assert "sk-" not in str((before, done, forgotten))


async def test_what_no_key_opens_is_counted_and_kept(world: World) -> None:
    model_id = await connected(world, "sk-lost-1")
    async with world.database.transaction() as session:
        model = await session.get_one(Model, model_id)
        assert model.credential is not None
        model.credential = model.credential[:1] + b"\x00\x00\x00\x00" + model.credential[5:]
    done = ok(await world.administrator.post(f"{KEYS}/rotation"))
    assert done["lost"] == 1
    async with world.database.transaction() as session:
        await session.delete(await session.get_one(Model, model_id))


async def test_owners_may_not_change_the_installation_s_keys(world: World) -> None:
    problem(await world.owner.get(KEYS), 403, "forbidden")
    problem(await world.owner.post(f"{KEYS}/rotation"), 403, "forbidden")
