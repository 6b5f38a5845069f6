/** How many calls each connected model takes at once, how many it answers now, and how many wait. */
import { NumberInput, Table } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  listModelQueuesOptions,
  listModelsOptions,
  listModelsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { changeModel } from '../../api/generated/sdk.gen';
import type { ModelView, QueueView } from '../../api/generated/types.gen';
import { useNotify } from '../../components/useNotify';
import { SettingsTable } from '../settings/SettingsTable';

const REFRESH_MS = 3_000;

export function Queues() {
  const { t } = useTranslation();
  const models = useQuery(listModelsOptions());
  const queues = useQuery({ ...listModelQueuesOptions(), refetchInterval: REFRESH_MS });
  const items = (models.data?.items ?? []).filter((model) => model.provider !== 'embedded');
  if (items.length === 0) return null;
  return (
    <div style={{ marginTop: 'var(--mantine-spacing-xl)' }}>
      <SettingsTable title={t('usage.queues')} text={t('usage.queuesText')} listing={models}>
        <Table verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('usage.groupings.model')}</Table.Th>
              <Table.Th>{t('usage.atOnce')}</Table.Th>
              <Table.Th>{t('usage.now')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((model) => (
              <Row
                key={`${model.id} ${model.concurrency}`}
                model={model}
                queue={queues.data?.items.find((one) => one.model_id === model.id) ?? null}
              />
            ))}
          </Table.Tbody>
        </Table>
      </SettingsTable>
    </div>
  );
}

function Row({ model, queue }: { model: ModelView; queue: QueueView | null }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const notify = useNotify();
  const known = model.concurrency ?? '';
  const [number, setNumber] = useState<number | string>(known);
  const save = useMutation({
    mutationFn: () =>
      changeModel({
        path: { model_id: model.id },
        body: { concurrency: number === '' ? null : Number(number) },
        throwOnError: true,
      }),
    onSuccess: async () => {
      notify.done(t('common.saved'));
      await client.invalidateQueries({ queryKey: listModelsQueryKey() });
    },
    onError: notify.failed,
  });
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={550}>
        {model.name}
      </Table.Th>
      <Table.Td>
        <NumberInput
          size="xs"
          w={110}
          min={1}
          max={100_000}
          allowDecimal={false}
          aria-label={t('usage.atOnceOf', { name: model.name })}
          placeholder={t('usage.any')}
          value={number}
          onChange={setNumber}
          onBlur={() => number !== known && save.mutate()}
          onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        />
      </Table.Td>
      <Table.Td>{queue ? t('usage.queue', { held: queue.held, waiting: queue.waiting }) : '–'}</Table.Td>
    </Table.Tr>
  );
}
