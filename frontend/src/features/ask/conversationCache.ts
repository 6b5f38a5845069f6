/** Keeps the cached conversation in step with its runs without asking the server again. */
import type { QueryClient } from '@tanstack/react-query';
import {
  getConversationQueryKey,
  listConversationsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import type { ConversationDetail, RunOut } from '../../api/generated/types.gen';

const keyOf = (conversationId: string) =>
  getConversationQueryKey({ path: { conversation_id: conversationId } });

/** Adds a run to its conversation or replaces it; a conversation that is new here begins with it. */
export function storeRun(client: QueryClient, run: RunOut) {
  client.setQueryData<ConversationDetail>(keyOf(run.conversation_id), (known) => {
    const conversation = known ?? {
      id: run.conversation_id,
      title: run.question.slice(0, 80),
      application_id: run.application_id,
      knowledge_base_ids: run.knowledge_base_ids,
      created_at: run.created_at,
      updated_at: run.created_at,
      runs: [],
    };
    const runs = conversation.runs.some((other) => other.id === run.id)
      ? conversation.runs.map((other) => (other.id === run.id ? run : other))
      : [...conversation.runs, run];
    return { ...conversation, runs };
  });
  client.invalidateQueries({ queryKey: [{ _id: listConversationsQueryKey()[0]._id }] });
}
