import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { SessionView } from '../../api/generated/types.gen';
import { rememberSession, sessionKey } from '../../app/session';

/** After a sign-in: keeps the session, forgets what was read before it, and goes on to `next`. */
export function useEnter() {
  const client = useQueryClient();
  const router = useRouter();
  return async (session: SessionView, next: string) => {
    client.clear();
    client.setQueryData(sessionKey, rememberSession(session));
    router.history.push(next);
  };
}
