"""The master keys of the installation: what is sealed with which, and the change to a new one."""

from datetime import datetime

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from refdesk.accounts import Administrator, Scope, audit_installation
from refdesk.kit.clock import now
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.errors import Conflict
from refdesk.kit.master_keys import KeyFile, KeyOrigin, key_file_of, origin_of
from refdesk.kit.sealed_columns import UNNAMED, count_by_key, rewrap_all
from refdesk.kit.settings import Settings

router = APIRouter(prefix="/api/v1/secret-keys", tags=["administration"])


class KeyStillNeeded(Conflict):
    """A former key cannot be forgotten while something is sealed with it alone."""

    code = "secret-key-still-needed"
    message = "Some stored credentials are sealed with a former key and could not be sealed anew."
    hint = "Run `refdesk secret rotate` again, or enter these credentials again."


class SecretKey(BaseModel):
    """A master key by its id; the key itself is never told."""

    id: str
    is_present: bool = Field(description="The one that seals; the others only open.")
    values: int = Field(description="Stored credentials and passwords that are sealed with it.")


class SecretKeys(BaseModel):
    """The keys, and how many sealed values no key there opens."""

    origin: KeyOrigin = Field(description="Where the keys come from.")
    keys: list[SecretKey]
    lost: int
    at: datetime


class Rotation(SecretKeys):
    """What a change of keys did."""

    sealed_anew: int


@router.get("", operation_id="getSecretKeys", summary="The keys that seal stored credentials, by their ids")
async def get_secret_keys(request: Request, _scope: Administrator) -> SecretKeys:
    return await _keys(request)


@router.post("/rotation", operation_id="rotateSecretKey", summary="Seal everything with a new key")
async def rotate_secret_key(request: Request, scope: Administrator) -> Rotation:
    """With keys in the key file a new one is made first. Keys from the environment or a command are changed
    there: name the new one, and the present one among the former ones."""
    settings: Settings = request.app.state.settings
    if origin_of(settings) == "file":
        KeyFile(key_file_of(settings)).add()
    return await _seal_anew(request, scope, "secret-key.rotate")


@router.delete(
    "/former", operation_id="forgetSecretKeys", summary="Forget the former keys once nothing needs them"
)
async def forget_secret_keys(request: Request, scope: Administrator) -> Rotation:
    settings: Settings = request.app.state.settings
    done = await _seal_anew(request, scope, "secret-key.forget")
    if any(key.values for key in done.keys if not key.is_present):
        raise KeyStillNeeded(keys=[key.id for key in done.keys if key.values and not key.is_present])
    if origin_of(settings) == "file":
        KeyFile(key_file_of(settings)).forget_former()
        done.keys = [key for key in done.keys if key.is_present]
    return done


async def _seal_anew(request: Request, scope: Scope, action: str) -> Rotation:
    database: Database = request.app.state.database
    cipher: Cipher = request.app.state.cipher
    wrapped, _ = await rewrap_all(database, cipher)
    async with database.transaction() as session:
        audit_installation(session, scope, action, key=cipher.key_ids[0], sealed_anew=wrapped)
    keys = await _keys(request)
    return Rotation(**keys.model_dump(), sealed_anew=wrapped)


async def _keys(request: Request) -> SecretKeys:
    cipher: Cipher = request.app.state.cipher
    counted = await count_by_key(request.app.state.database, cipher)
    counted.pop(UNNAMED, None)  # any of the keys may open these
    present, *former = cipher.key_ids
    known = [
        SecretKey(id=one, is_present=one == present, values=counted.pop(one, 0)) for one in (present, *former)
    ]
    return SecretKeys(
        origin=origin_of(request.app.state.settings), keys=known, lost=counted.total(), at=now()
    )
