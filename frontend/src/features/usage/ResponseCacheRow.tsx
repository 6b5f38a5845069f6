/** One application's cache of answers: off, or on for so long. */
import { Button, Select, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { deleteResponseCache, forgetCachedAnswers, putResponseCache } from '../../api/generated/sdk.gen';
import type { ResponseCacheView } from '../../api/generated/types.gen';
import { useNotify } from '../../components/useNotify';
import { formatBytes, formatNumber, formatPercent } from '../../i18n/format';

const OFF = 'off';
const times = ['600', '3600', '86400', '604800'] as const;

interface Props {
  application: { id: string; name: string };
  cache: ResponseCacheView | null;
  onChanged: () => unknown;
}

export function ResponseCacheRow({ application, cache, onChanged }: Props) {
  const { t } = useTranslation();
  const notify = useNotify();
  const path = { application_id: application.id };
  const set = useMutation({
    mutationFn: async (value: string) => {
      if (value === OFF) await deleteResponseCache({ path, throwOnError: true });
      else {
        const body = {
          ttl_s: Number(value),
          ...(cache ? { max_bytes: cache.max_bytes, with_tools: cache.with_tools } : {}),
        };
        await putResponseCache({ path, body, throwOnError: true });
      }
    },
    onSuccess: onChanged,
    onError: notify.failed,
  });
  const forget = useMutation({
    mutationFn: () => forgetCachedAnswers({ path, throwOnError: true }),
    onSuccess: onChanged,
    onError: notify.failed,
  });
  const value = cache ? String(cache.ttl_s) : OFF;
  const asked = cache ? cache.hits + cache.misses : 0;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={550}>
        {application.name}
      </Table.Th>
      <Table.Td>{cache ? `${formatNumber(cache.answers)} · ${formatBytes(cache.bytes)}` : '–'}</Table.Td>
      <Table.Td>
        <Select
          size="xs"
          aria-label={t('usage.keptForOf', { name: application.name })}
          allowDeselect={false}
          disabled={set.isPending}
          value={value}
          onChange={(chosen) => chosen && chosen !== value && set.mutate(chosen)}
          data={[
            { value: OFF, label: t('usage.notKept') },
            ...times.map((time) => ({ value: time, label: t(`usage.times.${time}`) })),
            ...(cache && !times.some((time) => time === value)
              ? [{ value, label: t('usage.window.seconds', { count: cache.ttl_s }) }]
              : []),
          ]}
        />
      </Table.Td>
      <Table.Td>
        {cache && asked > 0 ? (
          <Text size="sm">
            {t('usage.hitsOf', { share: formatPercent(cache.hits / asked, 1), count: cache.hits })}
          </Text>
        ) : (
          '–'
        )}
      </Table.Td>
      <Table.Td ta="right">
        {cache && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={cache.answers === 0}
            onClick={() => forget.mutate()}
          >
            {t('usage.forget')}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
