/** Who is signed in, where, and what they may do. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ProblemError } from '../api';
import { chooseWorkspace, chosenWorkspace, setCsrfToken } from '../api/credentials';
import { getSession } from '../api/generated/sdk.gen';
import type { SessionView, WorkspaceView } from '../api/generated/types.gen';

export const sessionKey = ['session'] as const;

/** Null while nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  staleTime: 5 * 60_000,
  queryFn: async (): Promise<SessionView | null> => {
    try {
      const { data } = await getSession({ throwOnError: true });
      return rememberSession(data);
    } catch (error) {
      if (error instanceof ProblemError && error.status === 401) return null;
      throw error;
    }
  },
});

export function rememberSession(session: SessionView): SessionView {
  setCsrfToken(session.csrf_token);
  const chosen = chosenWorkspace();
  if (chosen && !session.workspaces.some((workspace) => workspace.id === chosen)) chooseWorkspace(null);
  return session;
}

export interface Caller {
  session: SessionView;
  workspace: WorkspaceView | undefined;
  mayWrite: boolean;
  mayManage: boolean;
  isAdministrator: boolean;
}

/** The caller of a page behind the sign-in; only used below the shell, which guards it. */
export function useCaller(): Caller {
  const { data: session } = useQuery(sessionQuery);
  if (!session) {
    return {
      session: {
        via: 'session',
        user: null,
        csrf_token: null,
        workspaces: [],
        workspace_id: null,
        permissions: [],
        expires_at: null,
      },
      workspace: undefined,
      mayWrite: false,
      mayManage: false,
      isAdministrator: false,
    };
  }
  const id = chosenWorkspace() ?? session.workspace_id;
  const workspace = session.workspaces.find((candidate) => candidate.id === id) ?? session.workspaces[0];
  const isAdministrator = session.user?.is_administrator ?? true;
  return {
    session,
    workspace,
    mayWrite: isAdministrator || workspace?.role === 'editor' || workspace?.role === 'owner',
    mayManage: isAdministrator || workspace?.role === 'owner',
    isAdministrator,
  };
}
