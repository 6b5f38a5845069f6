/** Answers and vectors that are kept: for which applications and models, and how often it helped. */
import { Button, Stack, Table } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  listEmbeddingCachesOptions,
  listResponseCachesOptions,
} from '../../api/generated/@tanstack/react-query.gen';
import { forgetCachedEmbeddings } from '../../api/generated/sdk.gen';
import { useNotify } from '../../components/useNotify';
import { formatBytes, formatNumber, formatPercent } from '../../i18n/format';
import { useSourceChoices } from '../ask/sources';
import { SettingsTable } from '../settings/SettingsTable';
import { ResponseCacheRow } from './ResponseCacheRow';
import { useSubjects } from './useSubjects';

export function Caches() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const notify = useNotify();
  const { applications } = useSourceChoices();
  const { nameOf } = useSubjects();
  const answers = useQuery(listResponseCachesOptions());
  const vectors = useQuery(listEmbeddingCachesOptions());
  const refresh = () => client.invalidateQueries();
  const forget = useMutation({
    mutationFn: (id: string) => forgetCachedEmbeddings({ path: { model_id: id }, throwOnError: true }),
    onSuccess: refresh,
    onError: notify.failed,
  });
  return (
    <Stack gap="xl">
      <SettingsTable title={t('usage.answers')} text={t('usage.answersText')} listing={answers}>
        {answers.data && (
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('usage.groupings.application')}</Table.Th>
                <Table.Th>{t('usage.kept')}</Table.Th>
                <Table.Th>{t('usage.keptFor')}</Table.Th>
                <Table.Th>{t('usage.hits')}</Table.Th>
                <Table.Th>
                  <span className="rd-hidden">{t('common.more')}</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {applications.map((one) => (
                <ResponseCacheRow
                  key={one.id}
                  application={one}
                  cache={answers.data.items.find((cache) => cache.application_id === one.id) ?? null}
                  onChanged={refresh}
                />
              ))}
            </Table.Tbody>
          </Table>
        )}
      </SettingsTable>
      {(vectors.data?.items.length ?? 0) > 0 && (
        <SettingsTable title={t('usage.vectors')} text={t('usage.vectorsText')} listing={vectors}>
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('usage.groupings.model')}</Table.Th>
                <Table.Th>{t('usage.kept')}</Table.Th>
                <Table.Th>{t('usage.hits')}</Table.Th>
                <Table.Th>
                  <span className="rd-hidden">{t('common.more')}</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {vectors.data?.items.map((cache) => (
                <Table.Tr key={cache.model_id}>
                  <Table.Th scope="row" fw={550}>
                    {nameOf('model', cache.model_id) ?? t('usage.gone')}
                  </Table.Th>
                  <Table.Td>{`${formatNumber(cache.passages)} · ${formatBytes(cache.bytes)}`}</Table.Td>
                  <Table.Td>
                    {cache.hits + cache.misses > 0
                      ? formatPercent(cache.hits / (cache.hits + cache.misses), 1)
                      : '–'}
                  </Table.Td>
                  <Table.Td ta="right">
                    <Button size="compact-sm" variant="default" onClick={() => forget.mutate(cache.model_id)}>
                      {t('usage.forget')}
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </SettingsTable>
      )}
    </Stack>
  );
}
