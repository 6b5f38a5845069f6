"""Workspaces, their members and groups."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import groups, workspaces
from refdesk.accounts.access import Administrator, CurrentCaller, InPerson, Owner, Viewer
from refdesk.accounts.repository import GroupRepository, MembershipRepository
from refdesk.accounts.schemas import (
    GroupRequest,
    GroupView,
    MemberPatch,
    MemberRequest,
    MemberView,
    WorkspaceRequest,
    WorkspaceView,
)
from refdesk.accounts.scope import Role, Scope
from refdesk.accounts.tables import Group
from refdesk.accounts.views import after_cursor, group_view, member_view, next_cursor, workspace_view
from refdesk.kit.web import Page, PageQuery, Tx

router = APIRouter(prefix="/api/v1", tags=["workspaces"])
Paging = Annotated[PageQuery, Depends()]


@router.get("/workspaces", operation_id="listWorkspaces", summary="The workspaces open to the caller")
async def list_workspaces(caller: CurrentCaller, session: Tx) -> Page[WorkspaceView]:
    found = await workspaces.visible_workspaces(session, caller)
    return Page(items=[workspace_view(workspace, role) for workspace, role in found], total=len(found))


@router.post("/workspaces", operation_id="createWorkspace", summary="Make a workspace", status_code=201)
async def create_workspace(
    body: WorkspaceRequest, _scope: Administrator, caller: InPerson, session: Tx
) -> WorkspaceView:
    return workspace_view(await workspaces.create_workspace(session, caller, body.name), Role.OWNER)


@router.get("/workspaces/{workspace_id}", operation_id="getWorkspace", summary="One workspace")
async def get_workspace(workspace_id: UUID, caller: CurrentCaller, session: Tx) -> WorkspaceView:
    return workspace_view(*await workspaces.get_workspace(session, caller, workspace_id))


@router.patch("/workspaces/{workspace_id}", operation_id="updateWorkspace", summary="Rename a workspace")
async def update_workspace(
    workspace_id: UUID, body: WorkspaceRequest, caller: CurrentCaller, session: Tx
) -> WorkspaceView:
    _workspace, role = await workspaces.get_workspace(session, caller, workspace_id)
    scope = caller.scope_in(workspace_id)
    scope.require_resource("workspace", workspace_id)
    scope.require(Role.OWNER, "manage")
    return workspace_view(await workspaces.rename_workspace(session, scope, body.name), role)


@router.get("/members", operation_id="listMembers", summary="The workspace's members")
async def list_members(scope: Viewer, query: Paging, session: Tx) -> Page[MemberView]:
    found, total = await MembershipRepository(session, scope).page(after_cursor(query.cursor), query.limit)
    return Page(
        items=[member_view(membership, user) for membership, user in found],
        next_cursor=next_cursor([user.id for _, user in found], query.limit),
        total=total,
    )


@router.post("/members", operation_id="addMember", summary="Add a user who has an account", status_code=201)
async def add_member(body: MemberRequest, scope: Owner, session: Tx) -> MemberView:
    return member_view(*await workspaces.add_member(session, scope, body.email, Role.parse(body.role)))


@router.patch("/members/{user_id}", operation_id="updateMember", summary="Change a member's role")
async def update_member(user_id: UUID, body: MemberPatch, scope: Owner, session: Tx) -> MemberView:
    return member_view(*await workspaces.change_role(session, scope, user_id, Role.parse(body.role)))


@router.delete("/members/{user_id}", operation_id="removeMember", summary="End a membership", status_code=204)
async def remove_member(user_id: UUID, scope: Owner, session: Tx) -> None:
    await workspaces.remove_member(session, scope, user_id)


@router.get("/groups", operation_id="listGroups", summary="The workspace's groups")
async def list_groups(scope: Viewer, query: Paging, session: Tx) -> Page[GroupView]:
    repository = GroupRepository(session, scope)
    found, total = await repository.page(after_cursor(query.cursor), query.limit)
    ids = [group.id for group in found]
    members = await repository.member_ids(ids)
    return Page(
        items=[group_view(group, members[group.id]) for group in found],
        next_cursor=next_cursor(ids, query.limit),
        total=total,
    )


@router.post("/groups", operation_id="createGroup", summary="Make a group", status_code=201)
async def create_group(body: GroupRequest, scope: Owner, session: Tx) -> GroupView:
    return group_view(await groups.create_group(session, scope, body.name), [])


@router.patch("/groups/{group_id}", operation_id="updateGroup", summary="Rename a group")
async def update_group(group_id: UUID, body: GroupRequest, scope: Owner, session: Tx) -> GroupView:
    return await _with_members(session, scope, await groups.rename_group(session, scope, group_id, body.name))


@router.delete("/groups/{group_id}", operation_id="deleteGroup", summary="Delete a group", status_code=204)
async def delete_group(group_id: UUID, scope: Owner, session: Tx) -> None:
    await groups.delete_group(session, scope, group_id)


@router.put(
    "/groups/{group_id}/members/{user_id}", operation_id="addGroupMember", summary="Put a member into a group"
)
async def add_group_member(group_id: UUID, user_id: UUID, scope: Owner, session: Tx) -> GroupView:
    return await _with_members(session, scope, await groups.add_to_group(session, scope, group_id, user_id))


@router.delete(
    "/groups/{group_id}/members/{user_id}",
    operation_id="removeGroupMember",
    summary="Take a member out of a group",
    status_code=204,
)
async def remove_group_member(group_id: UUID, user_id: UUID, scope: Owner, session: Tx) -> None:
    await groups.remove_from_group(session, scope, group_id, user_id)


async def _with_members(session: AsyncSession, scope: Scope, group: Group) -> GroupView:
    members = await GroupRepository(session, scope).member_ids([group.id])
    return group_view(group, members[group.id])
