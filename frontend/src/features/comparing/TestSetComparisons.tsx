/** One test set asked of several modes and settings: begin, watch, stop, and what came of it. */
import { Button, Group, Progress, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listComparisonsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { cancelComparison, deleteComparison } from '../../api/generated/sdk.gen';
import type { ComparisonView, TestSetView } from '../../api/generated/types.gen';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { Problem } from '../../components/Problem';
import { formatDateTime } from '../../i18n/format';
import { ComparedAnswers } from './ComparedAnswers';
import { ComparisonForm } from './ComparisonForm';
import { ComparisonTable } from './ComparisonTable';

const isUnderWay = (one: ComparisonView) => one.state === 'queued' || one.state === 'running';

export function TestSetComparisons({ set }: { set: TestSetView }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string | null>(null);
  const [deleting, setDeleting] = useState(false);
  const found = useQuery({
    ...listComparisonsOptions({ path: { test_set_id: set.id } }),
    refetchInterval: (query) => (query.state.data?.items.some(isUnderWay) ? 1000 : false),
  });
  if (found.error) return <Problem error={found.error} onRetry={found.refetch} />;
  const items = found.data?.items ?? [];
  const shown = items.find((one) => one.id === chosen) ?? items[0];
  return (
    <Stack>
      <ComparisonForm
        set={set}
        disabled={items.some(isUnderWay)}
        onStarted={(made) => {
          setChosen(made.id);
          found.refetch();
        }}
      />
      {shown && (
        <>
          <Group align="end">
            <Select
              label={t('comparing.which')}
              allowDeselect={false}
              value={shown.id}
              data={items.map((one) => ({ value: one.id, label: formatDateTime(one.created_at) }))}
              onChange={setChosen}
            />
            {isUnderWay(shown) ? (
              <Button
                variant="default"
                onClick={async () => {
                  await cancelComparison({ path: { comparison_id: shown.id } });
                  await found.refetch();
                }}
              >
                {t('common.cancel')}
              </Button>
            ) : (
              <Button variant="default" color="red" onClick={() => setDeleting(true)}>
                {t('common.delete')}
              </Button>
            )}
          </Group>
          <Text size="sm" role="status">
            {t(`comparing.states.${shown.state}`)} ·{' '}
            {t('comparing.done', { done: shown.done, total: shown.total })}
            {shown.error ? ` · ${String(shown.error.reason)}` : ''}
          </Text>
          {isUnderWay(shown) && (
            <Progress
              value={(100 * shown.done) / Math.max(1, shown.total)}
              aria-label={t('comparing.title')}
            />
          )}
          <ComparisonTable comparison={shown} />
          {shown.is_yours ? (
            <ComparedAnswers comparison={shown} />
          ) : (
            <Text c="dimmed" size="sm">
              {t('comparing.private')}
            </Text>
          )}
          <ConfirmDelete
            opened={deleting}
            onClose={() => setDeleting(false)}
            name={formatDateTime(shown.created_at)}
            title={t('comparing.delete')}
            loss={t('comparing.deleteLoss')}
            onConfirm={async () => {
              await deleteComparison({ path: { comparison_id: shown.id }, throwOnError: true });
              setDeleting(false);
              await found.refetch();
            }}
          />
        </>
      )}
    </Stack>
  );
}
