/** What the server tells of a conversation at each change: its title and its runs, without a word of them. */
import type { ConversationDetail } from '../../api/generated/types.gen';

export interface ConversationOutline {
  title: string;
  runs: { id: string; state: string; retry_of: string | null }[];
}

/**
 * Whether the server knows of something that is not shown here. A run that is shown tells of its end by its own
 * events.
 */
export function isBehind(known: ConversationDetail | undefined, outline: ConversationOutline): boolean {
  if (!known) return false;
  const shown = new Set(known.runs.map((run) => run.id));
  return known.title !== outline.title || outline.runs.some((run) => !shown.has(run.id));
}
