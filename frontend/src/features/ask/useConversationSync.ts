/**
 * Keeps the page in step with its conversation wherever else it is open: a question asked in another tab appears
 * here and is followed. A tab in the background lets go of its stream (browsers give a site six connections over
 * HTTP/1.1) and catches up when it is seen again.
 */
import { useDocumentVisibility } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { follow } from '../../api/events';
import {
  getConversationQueryKey,
  listConversationsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import type { ConversationDetail } from '../../api/generated/types.gen';
import { type ConversationOutline, isBehind } from './conversationOutline';

export function useConversationSync(conversationId: string) {
  const client = useQueryClient();
  const isSeen = useDocumentVisibility() !== 'hidden';
  useEffect(() => {
    if (!isSeen) return;
    const controller = new AbortController();
    const queryKey = getConversationQueryKey({ path: { conversation_id: conversationId } });
    follow({
      url: `/api/v1/conversations/${conversationId}/events`,
      signal: controller.signal,
      isLast: (event) => event.name === 'conversation.deleted',
      onEvent: (event) => {
        const known = client.getQueryData<ConversationDetail>(queryKey);
        const isGone = event.name === 'conversation.deleted';
        if (!isGone && !isBehind(known, event.data as ConversationOutline)) return;
        client.invalidateQueries({ queryKey });
        client.invalidateQueries({ queryKey: [{ _id: listConversationsQueryKey()[0]._id }] });
      },
    }).catch(() => {
      // Refused: the conversation's own query tells the reader why.
    });
    return () => controller.abort();
  }, [client, conversationId, isSeen]);
}
