/** The paragraph a link asks for: where it stands now, or in which earlier version it is. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ProblemError } from '../../api';
import { getParagraphOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { Target } from '../paragraphs/ParagraphFeed';

interface Asked {
  paragraph?: string;
  start?: number;
  length?: number;
}

interface Found {
  target: Target | null;
  /** The version the paragraph is in, where it is not in the present one. */
  past: number | null;
  gone: boolean;
  pending: boolean;
}

export function useTarget(documentId: string, { paragraph, start, length }: Asked): Found {
  const found = useQuery({
    ...getParagraphOptions({ path: { paragraph_id: paragraph ?? '' } }),
    enabled: paragraph !== undefined,
    refetchOnWindowFocus: false,
  });
  const { data, error, isPending } = found;
  const id = data?.document_id === documentId ? data.id : null;
  const place = data?.position ?? 0;
  const target = useMemo(
    () => (id ? { id, place, start: start ?? null, length: length ?? null } : null),
    [id, place, start, length],
  );
  return {
    target,
    past: data && !data.is_current ? data.version : null,
    gone: paragraph !== undefined && error instanceof ProblemError && error.status === 404,
    pending: paragraph !== undefined && isPending,
  };
}
