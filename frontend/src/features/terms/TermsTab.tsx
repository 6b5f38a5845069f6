/** The term base of a base: words kept whole, words of one meaning, and how far the index is with them. */
import { Alert, Button, Group, Progress, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload, IconFileImport, IconPlus, IconVocabulary } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import { listTermsOptions, listTermsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { listTerms } from '../../api/generated/sdk.gen';
import type { KnowledgeBaseView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { LoadMore } from '../../components/LoadMore';
import { Problem } from '../../components/Problem';
import { SearchField, useSearchWords } from '../../components/SearchField';
import { Skeletons } from '../../components/Skeletons';
import { useHidden } from '../../components/undo';
import { useCursorList } from '../../components/useCursorList';
import tableClasses from '../knowledge/DocumentTable.module.css';
import { TermImportDialog } from './TermImportDialog';
import { TermForm, TermRow } from './TermRow';
import classes from './TermsTab.module.css';

/** How often the progress is asked for while the index is behind, in milliseconds. */
const pollEvery = 1500;

export function TermsTab({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const client = useQueryClient();
  const hidden = useHidden();
  const [adding, setAdding] = useState(false);
  const [importing, importDialog] = useDisclosure(false);
  const { words, setWords, q } = useSearchWords();
  const path = { knowledge_base_id: base.id };
  const query = { limit: 100, ...(q ? { q } : {}) };
  const list = useCursorList(listTermsQueryKey({ path, query }), (cursor, signal) =>
    listTerms({ path, query: { ...query, ...cursor }, signal, throwOnError: true }),
  );
  const refresh = () =>
    client.invalidateQueries({ queryKey: [{ _id: listTermsQueryKey({ path })[0]._id, path }] });
  if (list.isPending) return <Skeletons rows={6} />;
  if (list.error) return <Problem error={list.error} onRetry={list.refetch} />;
  const items = list.items.filter((one) => !hidden.has(one.id));
  const isEmpty = items.length === 0 && !q;
  const dialog = (
    <TermImportDialog base={base} opened={importing} onClose={importDialog.close} onImported={refresh} />
  );
  if (isEmpty && !adding) {
    return (
      <>
        <Indexing baseId={base.id} />
        <EmptyState icon={<IconVocabulary size={30} />} title={t('terms.none')} text={t('terms.noneText')}>
          {mayWrite && (
            <Group justify="center">
              <Button leftSection={<IconPlus size={17} />} onClick={() => setAdding(true)}>
                {t('terms.add')}
              </Button>
              <Button
                variant="default"
                leftSection={<IconFileImport size={17} />}
                onClick={importDialog.open}
              >
                {t('terms.import')}
              </Button>
            </Group>
          )}
        </EmptyState>
        {dialog}
      </>
    );
  }
  return (
    <div>
      <Indexing baseId={base.id} />
      <Group mb="md" gap="sm">
        <SearchField className={classes.search} label={t('terms.find')} words={words} onWords={setWords} />
        <Group gap="xs" ml="auto">
          {mayWrite && (
            <>
              <Button leftSection={<IconPlus size={17} />} onClick={() => setAdding(true)}>
                {t('terms.add')}
              </Button>
              <Button
                variant="default"
                leftSection={<IconFileImport size={17} />}
                onClick={importDialog.open}
              >
                {t('terms.import')}
              </Button>
            </>
          )}
          <Button
            component="a"
            variant="default"
            leftSection={<IconDownload size={17} />}
            href={withWorkspace(`/api/v1/knowledge-bases/${base.id}/terms.csv`)}
            download
          >
            {t('terms.export')}
          </Button>
        </Group>
      </Group>
      {adding && <TermForm baseId={base.id} onClose={() => setAdding(false)} onSaved={refresh} />}
      {items.length === 0 && !adding && <Text c="dimmed">{t('common.nothingFound')}</Text>}
      {items.length > 0 && (
        <div className={tableClasses.frame}>
          <Table verticalSpacing={10} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th className={classes.word}>{t('terms.word')}</Table.Th>
                <Table.Th>{t('terms.synonyms')}</Table.Th>
                {mayWrite && (
                  <Table.Th w={84}>
                    <span className="rd-hidden">{t('common.more')}</span>
                  </Table.Th>
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((term) => (
                <TermRow key={term.id} term={term} mayWrite={mayWrite} onChanged={refresh} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      <LoadMore list={list} />
      {dialog}
    </div>
  );
}

/** “Re-indexing 37 of 120”, while the index follows a change. */
function Indexing({ baseId }: { baseId: string }) {
  const { t } = useTranslation();
  const state = useQuery({
    ...listTermsOptions({ path: { knowledge_base_id: baseId }, query: { limit: 1 } }),
    refetchInterval: ({ state: { data } }) => (data && !data.progress.is_current ? pollEvery : false),
  });
  const progress = state.data?.progress;
  if (!progress || progress.is_current) return null;
  const { done, total } = progress;
  return (
    <Alert mb="md" variant="light" role="status">
      <Text size="sm" mb={total > 0 ? 6 : 0}>
        {total > 0 ? t('terms.indexing', { done, total }) : t('terms.looking')}
      </Text>
      {total > 0 && (
        <Progress value={(done / total) * 100} aria-label={t('terms.indexing', { done, total })} />
      )}
    </Alert>
  );
}
