"""People: the list, changes, invitations, reset links."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends

from refdesk.accounts import invitations, users
from refdesk.accounts.access import Administrator, CurrentCaller, Owner
from refdesk.accounts.directory import UserStore
from refdesk.accounts.schemas import InvitationRequest, LinkedPerson, LinkView, UserPatch, UserView
from refdesk.accounts.scope import Role
from refdesk.accounts.views import after_cursor, next_cursor, user_view
from refdesk.kit.web import Page, PageQuery, Tx

router = APIRouter(prefix="/api/v1", tags=["users"])


@router.get("/users", operation_id="listUsers", summary="All users of the installation")
async def list_users(
    _scope: Administrator, query: Annotated[PageQuery, Depends()], session: Tx
) -> Page[UserView]:
    found, total = await UserStore(session).page(after_cursor(query.cursor), query.limit)
    return Page(
        items=[user_view(user) for user in found],
        next_cursor=next_cursor([user.id for user in found], query.limit),
        total=total,
    )


@router.patch(
    "/users/{user_id}",
    operation_id="updateUser",
    summary="Rename, disable or enable a user, make or unmake an administrator",
)
async def update_user(user_id: UUID, body: UserPatch, caller: CurrentCaller, session: Tx) -> UserView:
    return user_view(await users.change_user(session, caller, user_id, body))


@router.post(
    "/users/{user_id}/reset-link",
    operation_id="createResetLink",
    summary="A link to set a new password; the user's sign-ins end",
    status_code=201,
)
async def create_reset_link(user_id: UUID, scope: Administrator, session: Tx) -> LinkView:
    return _link_view(await invitations.reset(session, scope, user_id))


@router.post(
    "/invitations",
    operation_id="createInvitation",
    summary="Invite somebody to the workspace",
    status_code=201,
)
async def create_invitation(body: InvitationRequest, scope: Owner, session: Tx) -> LinkView:
    return _link_view(
        await invitations.invite(
            session,
            scope,
            email=body.email,
            name=body.name,
            role=Role.parse(body.role),
            is_administrator=body.is_administrator,
        )
    )


def _link_view(link: invitations.Link) -> LinkView:
    person = LinkedPerson.model_validate(user_view(link.user).model_dump())
    return LinkView(user=person, link=link.path, expires_at=link.expires_at)
