/** Who did what, newest first. */
import { Button, Code, Table, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listAuditEventsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { listAuditEvents } from '../../api/generated/sdk.gen';
import { EmptyState } from '../../components/EmptyState';
import { formatDateTime } from '../../i18n/format';
import { SettingsTable } from './SettingsTable';
import frame from './SettingsTable.module.css';

export function Audit() {
  const { t } = useTranslation();
  const events = useInfiniteQuery({
    queryKey: listAuditEventsQueryKey({ query: { limit: 50 } }),
    queryFn: async ({ pageParam, signal }) =>
      (
        await listAuditEvents({
          query: { limit: 50, ...(pageParam ? { cursor: pageParam } : {}) },
          signal,
          throwOnError: true,
        })
      ).data,
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  const items = (events.data?.pages ?? []).flatMap((page) => page.items);
  return (
    <SettingsTable title={t('settings.sections.audit')} text={t('settings.auditText')} listing={events}>
      {events.isSuccess && items.length === 0 && (
        <EmptyState
          icon={<IconHistory size={28} />}
          title={t('settings.noAudit')}
          text={t('settings.noAuditText')}
        />
      )}
      {items.length > 0 && (
        <Table verticalSpacing={6} fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('settings.when')}</Table.Th>
              <Table.Th>{t('settings.who')}</Table.Th>
              <Table.Th>{t('settings.what')}</Table.Th>
              <Table.Th>{t('settings.details')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((event) => (
              <Table.Tr key={event.id}>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>{formatDateTime(event.created_at)}</Table.Td>
                <Table.Td>{event.actor}</Table.Td>
                <Table.Td>
                  <Code>{event.action}</Code>
                </Table.Td>
                <Table.Td className={frame.wraps}>
                  <Text size="xs" c="dimmed" lineClamp={2}>
                    {Object.entries(event.details)
                      .map(
                        ([name, value]) =>
                          `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
                      )
                      .join(', ')}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {events.hasNextPage && (
        <Button
          variant="subtle"
          fullWidth
          loading={events.isFetchingNextPage}
          onClick={() => events.fetchNextPage()}
        >
          {t('common.loadMore')}
        </Button>
      )}
    </SettingsTable>
  );
}
