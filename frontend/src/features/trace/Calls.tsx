/** Calls of models: which, how long, what they came to, and what went wrong on the way. */
import { Badge, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TraceCall } from '../../api/generated/types.gen';
import { formatNumber } from '../../i18n/format';
import { useWordFor } from '../../i18n/useWordFor';
import { shownCost, shownMs } from './times';

export function Calls({ calls }: { calls: TraceCall[] }) {
  const { t } = useTranslation();
  const pathWord = useWordFor('usage.paths');
  return (
    <Table.ScrollContainer minWidth={520} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table fz="sm" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('trace.model')}</Table.Th>
            <Table.Th>{t('trace.for')}</Table.Th>
            <Table.Th ta="right">{t('trace.firstToken')}</Table.Th>
            <Table.Th ta="right">{t('trace.time')}</Table.Th>
            <Table.Th ta="right">{t('trace.tokens')}</Table.Th>
            <Table.Th ta="right">{t('trace.cost')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {calls.map((call) => (
            <Table.Tr key={call.id}>
              <Table.Td>
                {call.model ?? t('trace.modelGone')}
                {call.switched_from && (
                  <Text size="xs" c="dimmed">
                    {t('trace.inPlaceOf', { model: call.switched_from_model ?? t('trace.modelGone') })}
                  </Text>
                )}
                {call.code !== 'ok' && (
                  <div>
                    <Badge size="sm" color="red">
                      {call.code}
                    </Badge>
                    {call.is_attempt && (
                      <Text component="span" size="xs" c="dimmed">
                        {' '}
                        {t('trace.triedAgain')}
                      </Text>
                    )}
                  </div>
                )}
                {call.is_cached && (
                  <Badge size="sm" variant="default">
                    {t('trace.cached')}
                  </Badge>
                )}
              </Table.Td>
              <Table.Td>{pathWord(call.path) ?? call.path}</Table.Td>
              <Table.Td ta="right">
                {call.first_token_ms == null
                  ? '—'
                  : t('ask.milliseconds', { ms: shownMs(call.first_token_ms) })}
              </Table.Td>
              <Table.Td ta="right">{t('ask.milliseconds', { ms: shownMs(call.latency_ms) })}</Table.Td>
              <Table.Td ta="right">
                {t('trace.inAndOut', {
                  given: formatNumber(call.input_tokens),
                  written: formatNumber(call.output_tokens),
                })}
              </Table.Td>
              <Table.Td ta="right">
                {call.cost != null && call.currency
                  ? shownCost({ amount: call.cost, currency: call.currency })
                  : '—'}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
