/** What differs between two versions of a document: in one column, or side by side where there is room. */
import { Badge, Button, Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  diffDocumentVersionsQueryKey,
  listDocumentVersionsOptions,
} from '../../api/generated/@tanstack/react-query.gen';
import { diffDocumentVersions } from '../../api/generated/sdk.gen';
import type { DiffChange, DocumentView } from '../../api/generated/types.gen';
import { Facts } from '../../components/Facts';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { headingOf } from '../paragraphs/heading';
import classes from './DiffView.module.css';

const colors = { added: 'lamp', removed: 'red', changed: 'yellow', moved: 'gray' } as const;

export function DiffView({ document, from, to }: { document: DocumentView; from: number; to: number }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/documents/$documentId' });
  const roomy = useMediaQuery('(min-width: 62em)', false, { getInitialValueInEffect: false });
  const [wanted, setWanted] = useState<'inline' | 'split'>('split');
  const layout = roomy ? wanted : 'inline';
  const path = { document_id: document.id };
  const query = { from, to, limit: 50 };
  const numbers = useQuery(listDocumentVersionsOptions({ path, query: { limit: 100 } }));
  const diff = useInfiniteQuery({
    queryKey: diffDocumentVersionsQueryKey({ path, query }),
    queryFn: async ({ pageParam, signal }) =>
      (
        await diffDocumentVersions({
          path,
          query: { ...query, ...(pageParam ? { cursor: pageParam } : {}) },
          signal,
          throwOnError: true,
        })
      ).data,
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  const choices = (numbers.data?.items ?? []).map(({ number }) => ({
    value: String(number),
    label: t('versions.number', { version: number }),
  }));
  const counts = diff.data?.pages[0]?.counts;
  const changes = (diff.data?.pages ?? []).flatMap((page) => page.items);
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Select
          w={140}
          aria-label={t('versions.from')}
          data={choices}
          value={String(from)}
          onChange={(value) => value && navigate({ search: { from: Number(value), to } })}
        />
        <Text aria-hidden>→</Text>
        <Select
          w={140}
          aria-label={t('versions.to')}
          data={choices}
          value={String(to)}
          onChange={(value) => value && navigate({ search: { from, to: Number(value) } })}
        />
        {roomy && (
          <SegmentedControl
            aria-label={t('versions.layout')}
            value={wanted}
            onChange={(value) => setWanted(value === 'split' ? 'split' : 'inline')}
            data={[
              { value: 'split', label: t('versions.sideBySide') },
              { value: 'inline', label: t('versions.inline') },
            ]}
          />
        )}
        <Button
          ml="auto"
          variant="default"
          leftSection={<IconX size={16} />}
          onClick={() => navigate({ search: {} })}
        >
          {t('versions.close')}
        </Button>
      </Group>
      {counts && (
        <Text size="sm" c="dimmed">
          <Facts
            items={[
              t('versions.changed', { count: counts.changed }),
              t('versions.added', { count: counts.added }),
              t('versions.removed', { count: counts.removed }),
              t('versions.moved', { count: counts.moved }),
              t('versions.unchanged', { count: counts.unchanged }),
            ]}
          />
        </Text>
      )}
      {diff.isPending && <Skeletons rows={4} height={96} />}
      {diff.error && <Problem error={diff.error} onRetry={diff.refetch} />}
      {diff.isSuccess && changes.length === 0 && <Text>{t('versions.same')}</Text>}
      {changes.map((change) => (
        <Change
          key={`${change.before?.paragraph_id}-${change.after?.paragraph_id}-${change.after?.position}`}
          change={change}
          layout={layout}
        />
      ))}
      {diff.hasNextPage && (
        <Button variant="default" loading={diff.isFetchingNextPage} onClick={() => diff.fetchNextPage()}>
          {t('common.loadMore')}
        </Button>
      )}
    </Stack>
  );
}

function Change({ change, layout }: { change: DiffChange; layout: 'inline' | 'split' }) {
  const { t } = useTranslation();
  const side = change.after ?? change.before;
  const before = change.before && headingOf(change.before);
  const after = change.after && headingOf(change.after);
  const isSplit = layout === 'split' && change.kind === 'changed';
  return (
    <article className={`rd-card ${classes.change}`}>
      <Group gap="sm" mb={6}>
        <Badge color={colors[change.kind]}>{t(`versions.kinds.${change.kind}`)}</Badge>
        {side && (
          <Text size="xs" c="dimmed">
            <Facts
              items={[
                t('versions.place', { n: side.position + 1 }),
                side.page !== null && t('common.page', { page: side.page }),
              ]}
            />
          </Text>
        )}
      </Group>
      {before && after && before !== after ? (
        <h2 className={classes.heading}>
          <del>{before}</del> <ins>{after}</ins>
        </h2>
      ) : (
        (after || before) && <h2 className={classes.heading}>{after || before}</h2>
      )}
      {isSplit ? (
        <div className={classes.sides}>
          <Parts change={change} without="insert" />
          <Parts change={change} without="delete" />
        </div>
      ) : (
        <Parts change={change} />
      )}
    </article>
  );
}

function Parts({ change, without }: { change: DiffChange; without?: 'insert' | 'delete' }) {
  return (
    <p className={classes.text}>
      {change.parts.map((part, index) => {
        if (part.op === without) return null;
        const key = `${index}-${part.op}`;
        if (part.op === 'insert') return <ins key={key}>{part.text}</ins>;
        if (part.op === 'delete') return <del key={key}>{part.text}</del>;
        return <span key={key}>{part.text}</span>;
      })}
    </p>
  );
}
