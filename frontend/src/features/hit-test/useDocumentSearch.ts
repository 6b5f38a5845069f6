import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { listDocumentsOptions } from '../../api/generated/@tanstack/react-query.gen';

/** Documents of some bases by words of their names, as they are typed; the server looks for the words. */
export function useDocumentSearch(baseIds: string[]) {
  const [words, setWords] = useState('');
  const [q] = useDebouncedValue(words.trim(), 250);
  const lists = useQueries({
    queries: baseIds.map((id) => ({
      ...listDocumentsOptions({ path: { knowledge_base_id: id }, query: { limit: 20, ...(q ? { q } : {}) } }),
      placeholderData: keepPreviousData,
    })),
  });
  return { words, setWords, documents: lists.flatMap((list) => list.data?.items ?? []) };
}
