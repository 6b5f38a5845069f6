/** Keeps a base's page alive: states and counts arrive as events and are written into what was read before. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { follow } from '../../api/events';
import {
  getDocumentQueryKey,
  getKnowledgeBaseQueryKey,
  listDocumentsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import type { DocumentView, KnowledgeBaseCounts, KnowledgeBaseView } from '../../api/generated/types.gen';

interface DocumentPage {
  items: DocumentView[];
}
interface Lists {
  pages: DocumentPage[];
}

export function useBaseEvents(baseId: string) {
  const client = useQueryClient();
  useEffect(() => {
    const controller = new AbortController();
    const baseKey = getKnowledgeBaseQueryKey({ path: { knowledge_base_id: baseId } });
    const lists = {
      queryKey: [{ _id: listDocumentsQueryKey({ path: { knowledge_base_id: baseId } })[0]._id }],
    };
    follow({
      url: `/api/v1/knowledge-bases/${baseId}/events`,
      signal: controller.signal,
      onEvent: ({ name, data }) => {
        if (name === 'counts') {
          const counts = data as KnowledgeBaseCounts;
          let changed = false;
          client.setQueryData<KnowledgeBaseView>(baseKey, (base) => {
            if (!base) return base;
            changed =
              base.counts.documents !== counts.documents || base.counts.states.ready !== counts.states.ready;
            return { ...base, counts };
          });
          // Questions to suggest and the list itself depend on which documents there are.
          if (changed) {
            client.invalidateQueries({ queryKey: baseKey });
            client.invalidateQueries(lists);
          }
        }
        if (name === 'document') {
          const progress = data as Partial<DocumentView> & { id: string };
          const merge = (one: DocumentView) => (one.id === progress.id ? { ...one, ...progress } : one);
          client.setQueriesData<Lists>(lists, (known) =>
            known?.pages
              ? { ...known, pages: known.pages.map((page) => ({ ...page, items: page.items.map(merge) })) }
              : known,
          );
          client.setQueryData<DocumentView>(
            getDocumentQueryKey({ path: { document_id: progress.id } }),
            (known) => (known ? merge(known) : known),
          );
        }
      },
    }).catch(() => {
      // A base that is gone or forbidden ends its stream; the page's own requests tell the reader.
    });
    return () => controller.abort();
  }, [baseId, client]);
}
