"""Getting in and out: first set-up, sign-in, links. These operations open their own transactions, because
hashing a password takes a tenth of a second and must not hold one, and a failed attempt must be counted
although the request fails."""

from fastapi import APIRouter, Request, Response
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import invitations, sessions, setup, throttle
from refdesk.accounts.access import SESSION_COOKIE, CurrentCaller, InPerson, refuse_cross_site
from refdesk.accounts.errors import SignInFailed
from refdesk.accounts.schemas import (
    InvitationView,
    PasswordChange,
    RedeemRequest,
    SessionView,
    SetupRequest,
    SetupStatus,
    SignInRequest,
)
from refdesk.accounts.tables import User
from refdesk.accounts.views import session_view
from refdesk.kit.clock import now
from refdesk.kit.errors import Unauthenticated
from refdesk.kit.settings import Settings
from refdesk.kit.web import DatabaseDep, Tx

router = APIRouter(prefix="/api/v1", tags=["session"])


@router.get("/setup", operation_id="getSetup", summary="Whether the first administrator is still to be made")
async def get_setup(session: Tx) -> SetupStatus:
    return SetupStatus(required=await setup.setup_required(session))


@router.post(
    "/setup",
    operation_id="completeSetup",
    summary="Make the first administrator with the token printed in the terminal, and sign in",
)
async def complete_setup(
    body: SetupRequest, request: Request, response: Response, database: DatabaseDep
) -> SessionView:
    refuse_cross_site(request)
    async with database.transaction() as session:
        await setup.check_setup_token(session, body.token)
    password_hash = await sessions.hash_suitable(body.password.get_secret_value(), body.email)
    async with database.transaction() as session:
        user = await setup.complete_setup(
            session,
            token=body.token,
            email=body.email,
            name=body.name,
            password_hash=password_hash,
            locale=body.locale,
        )
        return await _sign_in(session, user, request, response)


@router.get("/session", operation_id="getSession", summary="Who the caller is, and the CSRF token")
async def get_session(caller: CurrentCaller, session: Tx) -> SessionView:
    return await session_view(session, caller)


@router.post("/session", operation_id="signIn", summary="Sign in with address and password")
async def sign_in(
    body: SignInRequest, request: Request, response: Response, database: DatabaseDep
) -> SessionView:
    refuse_cross_site(request)
    account = throttle.account_subject(body.email)
    address = throttle.address_subject(request.client.host if request.client is not None else None)
    async with database.transaction() as session:
        await throttle.charge(session, account, address, now())
        user = await sessions.find_for_sign_in(session, body.email)
    rehashed = await sessions.check_password(user, body.password.get_secret_value())
    async with database.transaction() as session:
        # Read again: the account may have been disabled while the password was being checked.
        user = await sessions.find_for_sign_in(session, body.email)
        if user is None:
            raise SignInFailed
        await throttle.forgive(session, account, address)
        if rehashed is not None:
            user.password_hash = rehashed
        return await _sign_in(session, user, request, response)


@router.delete("/session", operation_id="signOut", summary="Sign out", status_code=204)
async def sign_out(caller: InPerson, request: Request, response: Response, session: Tx) -> None:
    await sessions.close_session(session, caller)
    response.delete_cookie(
        SESSION_COOKIE, path="/", secure=_is_secure(request), httponly=True, samesite="lax"
    )


@router.post(
    "/session/password",
    operation_id="changePassword",
    summary="Change one's own password; other sign-ins end",
)
async def change_password(
    body: PasswordChange, caller: InPerson, request: Request, response: Response, database: DatabaseDep
) -> SessionView:
    user = caller.user
    if user is None:
        raise Unauthenticated("The local operator has no password.")
    account = throttle.account_subject(user.email)
    address = throttle.address_subject(request.client.host if request.client is not None else None)
    async with database.transaction() as session:
        await throttle.charge(session, account, address, now())
    await sessions.check_password(user, body.current_password.get_secret_value())
    password_hash = await sessions.hash_suitable(body.new_password.get_secret_value(), user.email)
    async with database.transaction() as session:
        await throttle.forgive(session, account, address)
        user = await session.merge(user)
        await sessions.set_password(session, user, password_hash)
        return await _sign_in(session, user, request, response)


@router.get(
    "/invitations/{token}", operation_id="getInvitation", summary="Whom an invitation or reset link is for"
)
async def get_invitation(token: str, session: Tx) -> InvitationView:
    found, user = await invitations.find_link(session, token)
    return InvitationView.model_validate(
        {
            "email": user.email,
            "name": user.name,
            "purpose": found.purpose,
            "expires_at": found.expires_at,
        }
    )


@router.post(
    "/invitations/{token}/redeem",
    operation_id="redeemInvitation",
    summary="Set the password with an invitation or reset link, and sign in",
)
async def redeem_invitation(
    token: str, body: RedeemRequest, request: Request, response: Response, database: DatabaseDep
) -> SessionView:
    refuse_cross_site(request)
    async with database.transaction() as session:
        _found, user = await invitations.find_link(session, token)
    password_hash = await sessions.hash_suitable(body.password.get_secret_value(), user.email)
    async with database.transaction() as session:
        user = await invitations.redeem(
            session, token, password_hash=password_hash, name=body.name, locale=body.locale
        )
        return await _sign_in(session, user, request, response)


async def _sign_in(session: AsyncSession, user: User, request: Request, response: Response) -> SessionView:
    settings: Settings = request.app.state.settings
    opened = await sessions.open_session(
        session,
        user,
        days=settings.session_days,
        user_agent=request.headers.get("user-agent"),
        replaces=request.cookies.get(SESSION_COOKIE),
    )
    response.set_cookie(
        SESSION_COOKIE,
        opened.token,
        max_age=settings.session_days * 86_400,
        path="/",
        secure=_is_secure(request),
        httponly=True,
        samesite="lax",
    )
    await session.refresh(user)
    return await session_view(session, opened.caller)


def _is_secure(request: Request) -> bool:
    settings: Settings = request.app.state.settings
    return request.url.scheme == "https" or (settings.public_url or "").startswith("https://")
