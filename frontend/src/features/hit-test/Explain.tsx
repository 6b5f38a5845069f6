/** "Why isn't X here?": choose a document, get the first thing that kept it out, with its exact numbers. */
import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { explainHitTest } from '../../api/generated/sdk.gen';
import type { HitTestRequest } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { Explanation } from './Explanation';
import classes from './HitTest.module.css';
import { useDocumentSearch } from './useDocumentSearch';

export type Subject = { document_id: string } | { paragraph_id: string };

interface Props {
  request: HitTestRequest;
  subject: Subject | null;
  onSubject: (subject: Subject | null) => void;
}

export function Explain({ request, subject, onSubject }: Props) {
  const { t } = useTranslation();
  const { words, setWords, documents } = useDocumentSearch(request.knowledge_base_ids);
  return (
    <section className={`rd-card ${classes.explain}`}>
      <Stack gap="sm">
        <Select
          label={t('hitTest.whyTitle')}
          description={t('hitTest.whyHint')}
          placeholder={t('hitTest.chooseDocument')}
          searchable
          clearable
          searchValue={words}
          onSearchChange={setWords}
          // The server has looked for the words already, in any case and place.
          filter={({ options }) => options}
          nothingFoundMessage={t('common.nothingFound')}
          data={documents.map((one) => ({ value: one.id, label: one.name }))}
          value={subject && 'document_id' in subject ? subject.document_id : null}
          onChange={(id) => onSubject(id ? { document_id: id } : null)}
        />
        {subject ? (
          <Answer request={request} subject={subject} />
        ) : (
          <Text size="sm" c="dimmed">
            {t('hitTest.whyIntro')}
          </Text>
        )}
      </Stack>
    </section>
  );
}

export function Answer({ request, subject }: { request: HitTestRequest; subject: Subject }) {
  const body = { ...request, ...subject };
  const explained = useQuery({
    queryKey: ['explain-hit-test', body],
    queryFn: async ({ signal }) => (await explainHitTest({ body, signal, throwOnError: true })).data,
    // What it tells can change with every edit and upload.
    staleTime: 0,
    gcTime: 0,
  });
  if (explained.isPending) return <Skeletons rows={2} height={64} />;
  if (explained.error) return <Problem error={explained.error} onRetry={explained.refetch} />;
  return <Explanation found={explained.data} />;
}
