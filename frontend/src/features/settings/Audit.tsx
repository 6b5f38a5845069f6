/** Who did what, newest first. */
import { Code, Table } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { listAuditEventsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { listAuditEvents } from '../../api/generated/sdk.gen';
import { EmptyState } from '../../components/EmptyState';
import { useCursorList } from '../../components/useCursorList';
import { Values } from '../../components/Values';
import { formatDateTime } from '../../i18n/format';
import { SettingsTable } from './SettingsTable';
import frame from './SettingsTable.module.css';

const query = { limit: 50 };

export function Audit() {
  const { t } = useTranslation();
  const events = useCursorList(listAuditEventsQueryKey({ query }), (cursor, signal) =>
    listAuditEvents({ query: { ...query, ...cursor }, signal, throwOnError: true }),
  );
  const { items } = events;
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
                  <Values label={t('settings.details')} values={event.details} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </SettingsTable>
  );
}
