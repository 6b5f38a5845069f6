import { Alert, Progress } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { getKnowledgeBaseImportOptions } from '../../api/generated/@tanstack/react-query.gen';
import { ProblemError } from '../../api/problem';
import { Problem } from '../../components/Problem';

const pollMs = 1500;

/** How the import of a base stands that somebody has just begun; its documents appear below as they come. */
export function ImportNotice({ baseId }: { baseId: string }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    ...getKnowledgeBaseImportOptions({ path: { knowledge_base_id: baseId } }),
    refetchInterval: ({ state }) =>
      state.data?.state === 'finished' || state.data?.state === 'failed' ? false : pollMs,
  });
  if (!data) return null;
  if (data.state === 'failed' && data.error) {
    return <Problem error={new ProblemError(422, { ...data.error, detail: data.error.reason })} />;
  }
  const finished = data.state === 'finished';
  return (
    <Alert mb="md" icon={<IconFileImport size={18} />} role="status">
      {finished
        ? t('knowledge.importDone', { count: data.documents })
        : t('knowledge.importing', { name: data.name })}
      {finished && ` ${data.reused_vectors ? t('knowledge.vectorsKept') : t('knowledge.vectorsAnew')}`}
      {!finished && (
        <Progress
          mt="xs"
          size={6}
          value={data.documents > 0 ? (data.done / data.documents) * 100 : 0}
          aria-label={t('knowledge.importing', { name: data.name })}
        />
      )}
    </Alert>
  );
}
