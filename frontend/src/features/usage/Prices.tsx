/** What models cost from which day on; calls keep the cost they were recorded with. */
import { Button, FileButton, Group, Table } from '@mantine/core';
import { IconCoin, IconDownload, IconPlus, IconUpload } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import {
  listModelPricesOptions,
  listModelPricesQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { deleteModelPrice, importModelPrices } from '../../api/generated/sdk.gen';
import type { PriceView } from '../../api/generated/types.gen';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';
import { formatDate, formatNumber } from '../../i18n/format';
import { SettingsTable } from '../settings/SettingsTable';
import { PriceForm } from './PriceForm';
import { RowActions } from './RowActions';
import { useSubjects } from './useSubjects';

export function Prices() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const notify = useNotify();
  const prices = useQuery(listModelPricesOptions());
  const { nameOf } = useSubjects();
  const [editing, setEditing] = useState<PriceView | 'new' | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: listModelPricesQueryKey() });
  const take = useMutation({
    mutationFn: async (file: File) =>
      (await importModelPrices({ body: { csv: await file.text() }, throwOnError: true })).data,
    onSuccess: async (taken) => {
      notify.done(t('usage.pricesTaken', { added: taken.added, changed: taken.changed }));
      await refresh();
    },
  });
  const [deleting, setDeleting] = useState<PriceView | null>(null);
  const items = prices.data?.items ?? [];
  return (
    <>
      {take.error && <Problem error={take.error} />}
      <SettingsTable
        title={t('usage.tabs.prices')}
        text={t('usage.pricesText')}
        listing={prices}
        action={
          <Group gap="sm">
            <FileButton onChange={(file) => file && take.mutate(file)} accept=".csv,text/csv">
              {(props) => (
                <Button
                  {...props}
                  variant="default"
                  loading={take.isPending}
                  leftSection={<IconUpload size={17} />}
                >
                  {t('usage.importCsv')}
                </Button>
              )}
            </FileButton>
            <Button
              component="a"
              variant="default"
              leftSection={<IconDownload size={17} />}
              href={withWorkspace('/api/v1/model-prices/export')}
              download
            >
              {t('usage.exportCsv')}
            </Button>
            <Button leftSection={<IconPlus size={17} />} onClick={() => setEditing('new')}>
              {t('usage.newPrice')}
            </Button>
          </Group>
        }
      >
        {prices.isSuccess && items.length === 0 && (
          <EmptyState
            icon={<IconCoin size={28} />}
            title={t('usage.noPrices')}
            text={t('usage.noPricesText')}
          />
        )}
        {items.length > 0 && (
          <Table verticalSpacing="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('usage.groupings.model')}</Table.Th>
                <Table.Th>{t('usage.validFrom')}</Table.Th>
                <Table.Th ta="right">{t('usage.input')}</Table.Th>
                <Table.Th ta="right">{t('usage.cachedInput')}</Table.Th>
                <Table.Th ta="right">{t('usage.output')}</Table.Th>
                <Table.Th>{t('usage.currency')}</Table.Th>
                <Table.Th>
                  <span className="rd-hidden">{t('common.more')}</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((price) => (
                <Table.Tr key={price.id}>
                  <Table.Th scope="row" fw={550}>
                    {nameOf('model', price.model_id) ?? t('usage.gone')}
                  </Table.Th>
                  <Table.Td>{formatDate(price.valid_from)}</Table.Td>
                  <Table.Td ta="right">{formatNumber(price.input_per_million)}</Table.Td>
                  <Table.Td ta="right">
                    {price.cached_per_million == null ? '–' : formatNumber(price.cached_per_million)}
                  </Table.Td>
                  <Table.Td ta="right">{formatNumber(price.output_per_million)}</Table.Td>
                  <Table.Td>{price.currency}</Table.Td>
                  <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                    <RowActions
                      name={nameOf('model', price.model_id) ?? t('usage.gone')}
                      onEdit={() => setEditing(price)}
                      onDelete={() => setDeleting(price)}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </SettingsTable>
      <PriceForm editing={editing} onClose={() => setEditing(null)} onSaved={refresh} />
      {deleting && (
        <ConfirmDelete
          opened
          onClose={() => setDeleting(null)}
          name={nameOf('model', deleting.model_id) ?? t('usage.gone')}
          title={t('usage.deletePrice')}
          loss={t('usage.deletePriceLoss', { date: formatDate(deleting.valid_from) })}
          onConfirm={async () => {
            await deleteModelPrice({ path: { price_id: deleting.id }, throwOnError: true });
            await refresh();
          }}
        />
      )}
    </>
  );
}
