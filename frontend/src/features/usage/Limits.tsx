/** The limits on calls of models, how much of each is used now, and the queues before busy models. */
import { Badge, Button, Table, Text } from '@mantine/core';
import { IconGauge, IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  listModelLimitsOptions,
  listModelLimitsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { deleteModelLimit } from '../../api/generated/sdk.gen';
import type { LimitView } from '../../api/generated/types.gen';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { EmptyState } from '../../components/EmptyState';
import { SettingsTable } from '../settings/SettingsTable';
import { LimitForm } from './LimitForm';
import { LimitStanding } from './LimitStanding';
import { Queues } from './Queues';
import { RowActions } from './RowActions';
import { useLimitWords } from './useLimitWords';

export function Limits() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const limits = useQuery(listModelLimitsOptions());
  const words = useLimitWords();
  const [editing, setEditing] = useState<LimitView | 'new' | null>(null);
  const [deleting, setDeleting] = useState<LimitView | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: listModelLimitsQueryKey() });
  const items = limits.data?.items ?? [];
  return (
    <>
      <SettingsTable
        title={t('usage.tabs.limits')}
        text={t('usage.limitsText')}
        listing={limits}
        action={
          <Button leftSection={<IconPlus size={17} />} onClick={() => setEditing('new')}>
            {t('usage.newLimit')}
          </Button>
        }
      >
        {limits.isSuccess && items.length === 0 && (
          <EmptyState
            icon={<IconGauge size={28} />}
            title={t('usage.noLimits')}
            text={t('usage.noLimitsText')}
          />
        )}
        {items.length > 0 && (
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('common.name')}</Table.Th>
                <Table.Th>{t('usage.allows')}</Table.Th>
                <Table.Th>{t('usage.appliesTo')}</Table.Th>
                <Table.Th>{t('usage.usedNow')}</Table.Th>
                <Table.Th>
                  <span className="rd-hidden">{t('common.more')}</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((limit) => (
                <Table.Tr key={limit.id}>
                  <Table.Td miw={150}>
                    <Text fw={550} size="sm">
                      {limit.name}
                    </Text>
                    {!limit.is_active && <Badge color="gray">{t('usage.off')}</Badge>}
                    {!limit.is_hard && <Badge color="yellow">{t('usage.soft')}</Badge>}
                  </Table.Td>
                  <Table.Td style={{ whiteSpace: 'nowrap' }}>{words.allowance(limit)}</Table.Td>
                  <Table.Td>{words.target(limit)}</Table.Td>
                  <Table.Td>
                    <LimitStanding limit={limit} />
                  </Table.Td>
                  <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                    <RowActions
                      name={limit.name}
                      onEdit={() => setEditing(limit)}
                      onDelete={() => setDeleting(limit)}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </SettingsTable>
      <Queues />
      <LimitForm editing={editing} onClose={() => setEditing(null)} onSaved={refresh} />
      {deleting && (
        <ConfirmDelete
          opened
          onClose={() => setDeleting(null)}
          name={deleting.name}
          title={t('usage.deleteLimit')}
          loss={t('usage.deleteLimitLoss')}
          onConfirm={async () => {
            await deleteModelLimit({ path: { limit_id: deleting.id }, throwOnError: true });
            await refresh();
          }}
        />
      )}
    </>
  );
}
