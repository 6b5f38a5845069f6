/** All knowledge bases of the workspace. */
import { Button, SimpleGrid, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconBooks, IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listKnowledgeBasesQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { createSampleLibrary, listKnowledgeBases } from '../../api/generated/sdk.gen';
import type { KnowledgeBaseView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { Facts } from '../../components/Facts';
import { LoadMore } from '../../components/LoadMore';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { Problem } from '../../components/Problem';
import { SearchField, useSearchWords } from '../../components/SearchField';
import { Skeletons } from '../../components/Skeletons';
import { useCursorList } from '../../components/useCursorList';
import { useNotify } from '../../components/useNotify';
import { formatAgo } from '../../i18n/format';
import { ImportBase } from './ImportBase';
import classes from './KnowledgePage.module.css';
import { NewBase } from './NewBase';

export default function KnowledgePage() {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const { failed } = useNotify();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [creating, create] = useDisclosure(false);
  const { words, setWords, q } = useSearchWords();
  const query = { limit: 60, ...(q ? { q } : {}) };
  const bases = useCursorList(listKnowledgeBasesQueryKey({ query }), (cursor, signal) =>
    listKnowledgeBases({ query: { ...query, ...cursor }, signal, throwOnError: true }),
  );
  const sample = useMutation({
    mutationFn: async () => (await createSampleLibrary({ throwOnError: true })).data,
    onSuccess: async (base) => {
      await client.invalidateQueries();
      await navigate({ to: '/knowledge/$baseId', params: { baseId: base.id } });
    },
    onError: failed,
  });
  const { items } = bases;
  const total = bases.data?.pages[0]?.total ?? 0;
  const isEmpty = bases.isSuccess && items.length === 0 && !q;
  return (
    <Page>
      <PageHeader title={t('shell.knowledge')} text={t('knowledge.intro')}>
        {mayWrite && <ImportBase />}
        {mayWrite && (
          <Button leftSection={<IconPlus size={17} />} onClick={create.open}>
            {t('knowledge.newBase')}
          </Button>
        )}
      </PageHeader>
      {bases.isPending && <Skeletons rows={3} height={96} />}
      {bases.error && <Problem error={bases.error} onRetry={bases.refetch} />}
      {isEmpty && (
        <EmptyState
          icon={<IconBooks size={30} />}
          title={t('knowledge.emptyTitle')}
          text={t('knowledge.emptyText')}
        >
          {mayWrite && (
            <div className={classes.firstSteps}>
              <Button onClick={create.open}>{t('knowledge.newBase')}</Button>
              <Button variant="default" loading={sample.isPending} onClick={() => sample.mutate()}>
                {t('setup.lookAround')}
              </Button>
            </div>
          )}
        </EmptyState>
      )}
      {bases.data && !isEmpty && (
        <>
          {(total > 8 || q) && (
            <SearchField mb="md" maw={360} label={t('knowledge.findBase')} words={words} onWords={setWords} />
          )}
          {items.length === 0 && <Text c="dimmed">{t('common.nothingFound')}</Text>}
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
            {items.map((base) => (
              <BaseCard key={base.id} base={base} />
            ))}
          </SimpleGrid>
          <LoadMore list={bases} />
        </>
      )}
      <NewBase opened={creating} onClose={create.close} />
    </Page>
  );
}

function BaseCard({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const { states } = base.counts;
  const working =
    (states.queued ?? 0) + (states.parsing ?? 0) + (states.splitting ?? 0) + (states.indexing ?? 0);
  const { attention } = base.counts;
  return (
    <Link to="/knowledge/$baseId" params={{ baseId: base.id }} className={classes.card}>
      <Text component="h2" fw={600} fz="lg" m={0} lineClamp={1}>
        {base.name}
      </Text>
      <Text component="p" size="sm" c="dimmed" m={0} lineClamp={2} className={classes.description}>
        {base.description || t('knowledge.noDescription')}
      </Text>
      <Text component="p" size="sm" m={0}>
        <Facts
          items={[
            t('knowledge.documentCount', { count: base.counts.documents }),
            t('knowledge.paragraphCount', { count: base.counts.paragraphs }),
          ]}
        />
      </Text>
      <Text component="p" size="xs" c="dimmed" m={0}>
        {t('knowledge.updatedAgo', { ago: formatAgo(base.updated_at) })}
      </Text>
      {base.import_state && (
        <Text
          component="p"
          size="sm"
          m={0}
          className={base.import_state === 'failed' ? classes.attention : classes.working}
        >
          {base.import_state === 'failed' && <IconAlertTriangle size={15} aria-hidden />}
          {t(`knowledge.importUnfinished.${base.import_state}`)}
        </Text>
      )}
      {working > 0 && (
        <Text component="p" size="sm" m={0} className={classes.working}>
          {t('knowledge.workingCount', { count: working })}
        </Text>
      )}
      {attention > 0 && (
        <Text component="p" size="sm" m={0} className={classes.attention}>
          <IconAlertTriangle size={15} aria-hidden />
          {t('knowledge.attentionCount', { count: attention })}
        </Text>
      )}
    </Link>
  );
}
