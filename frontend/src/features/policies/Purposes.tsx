/** Which model serves which purpose: steps of answers by their name, and purposes that applications name. */
import { ActionIcon, Autocomplete, Button, Group, Select, Stack, Table, Text } from '@mantine/core';
import { IconPlus, IconRoute, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  listModelsOptions,
  listPurposeRoutesOptions,
  listPurposeRoutesQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { removePurposeRoute, setPurposeRoute } from '../../api/generated/sdk.gen';
import type { PurposeRouteView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { Dialog } from '../../components/Dialog';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';
import { formatAgo } from '../../i18n/format';
import { useWordFor } from '../../i18n/useWordFor';
import { type Kind, kinds } from '../models/kinds';
import { SettingsTable } from '../settings/SettingsTable';
import { steps } from '../usage/limitValues';

export function Purposes() {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const { failed } = useNotify();
  const client = useQueryClient();
  const stepName = useWordFor('usage.paths');
  const routes = useQuery(listPurposeRoutesOptions());
  const [isAdding, setAdding] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: listPurposeRoutesQueryKey() });
  const remove = useMutation({
    mutationFn: ({ kind, purpose }: PurposeRouteView) =>
      removePurposeRoute({ path: { kind, purpose }, throwOnError: true }),
    onSuccess: refresh,
    onError: failed,
  });
  const items = routes.data?.items ?? [];
  return (
    <div style={{ marginTop: 'var(--mantine-spacing-xl)' }}>
      <SettingsTable
        title={t('policies.purposes')}
        text={t('policies.purposesText')}
        listing={routes}
        action={
          mayManage && (
            <Button variant="light" leftSection={<IconPlus size={17} />} onClick={() => setAdding(true)}>
              {t('policies.addPurpose')}
            </Button>
          )
        }
      >
        {routes.isSuccess && items.length === 0 && (
          <EmptyState
            icon={<IconRoute size={28} />}
            title={t('policies.noPurposes')}
            text={t('policies.noPurposesText')}
          />
        )}
        {items.length > 0 && (
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('policies.purpose')}</Table.Th>
                <Table.Th>{t('policies.purposeKind')}</Table.Th>
                <Table.Th>{t('policies.model')}</Table.Th>
                <Table.Th>{t('policies.changed')}</Table.Th>
                <Table.Th>
                  <span className="rd-hidden">{t('common.more')}</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((route) => (
                <Table.Tr key={`${route.kind} ${route.purpose}`}>
                  <Table.Th scope="row" fw={550}>
                    {route.purpose}
                    {stepName(route.purpose) && (
                      <Text size="xs" c="dimmed" fw={400}>
                        {stepName(route.purpose)}
                      </Text>
                    )}
                  </Table.Th>
                  <Table.Td>{t(`models.kinds.${route.kind}`)}</Table.Td>
                  <Table.Td>{route.model.name}</Table.Td>
                  <Table.Td>{formatAgo(route.updated_at)}</Table.Td>
                  <Table.Td ta="right">
                    {mayManage && (
                      <ActionIcon
                        variant="subtle"
                        color="red"
                        aria-label={t('policies.removePurpose', { purpose: route.purpose })}
                        loading={remove.isPending && remove.variables === route}
                        onClick={() => remove.mutate(route)}
                      >
                        <IconTrash size={17} />
                      </ActionIcon>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </SettingsTable>
      {isAdding && <NewPurpose onClose={() => setAdding(false)} onSaved={refresh} />}
    </div>
  );
}

function NewPurpose({ onClose, onSaved }: { onClose: () => void; onSaved: () => unknown }) {
  const { t } = useTranslation();
  const models = useQuery(listModelsOptions());
  const [purpose, setPurpose] = useState('');
  const [kind, setKind] = useState<Kind>('LLM');
  const [modelId, setModelId] = useState<string | null>(null);
  const name = purpose.trim();
  const save = useMutation({
    mutationFn: (model_id: string) =>
      setPurposeRoute({ path: { kind, purpose: name }, body: { model_id }, throwOnError: true }),
    onSuccess: async () => {
      await onSaved();
      onClose();
    },
  });
  return (
    <Dialog opened onClose={onClose} title={t('policies.addPurpose')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (modelId && name) save.mutate(modelId);
        }}
      >
        <Stack>
          <Autocomplete
            label={t('policies.purpose')}
            description={t('policies.purposeHint')}
            data={[...steps]}
            value={purpose}
            onChange={setPurpose}
            maxLength={64}
            required
            data-autofocus
          />
          <Select
            label={t('policies.purposeKind')}
            data={kinds.map((one) => ({ value: one, label: t(`models.kinds.${one}`) }))}
            value={kind}
            onChange={(value) => {
              setKind(kinds.find((one) => one === value) ?? 'LLM');
              setModelId(null);
            }}
            allowDeselect={false}
          />
          <Select
            label={t('policies.model')}
            data={(models.data?.items ?? [])
              .filter((model) => model.kind === kind)
              .map((model) => ({ value: model.id, label: model.name }))}
            value={modelId}
            onChange={setModelId}
            nothingFoundMessage={t('common.nothingFound')}
            searchable
            required
          />
          {save.error && <Problem error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={!modelId || !name}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
