/** The sources of the workspace that somebody else runs: for owners, in the settings. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconDatabaseSearch, IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  listExternalSourcesOptions,
  listExternalSourcesQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import type { ExternalSourceView } from '../../api/generated/types.gen';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { SourceCard } from './SourceCard';
import { SourceForm } from './SourceForm';

export function ExternalSources() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [form, setForm] = useState<{ source: ExternalSourceView | null; opened: boolean }>({
    source: null,
    opened: false,
  });
  const sources = useQuery(listExternalSourcesOptions());
  const refresh = () =>
    client.invalidateQueries({ queryKey: [{ _id: listExternalSourcesQueryKey()[0]._id }] });
  const items = sources.data?.items ?? [];
  const connect = (
    <Button leftSection={<IconPlus size={17} />} onClick={() => setForm({ source: null, opened: true })}>
      {t('external.connect')}
    </Button>
  );
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={2} size="h5">
            {t('settings.sections.sources')}
          </Title>
          <Text size="sm" c="dimmed" maw={560}>
            {t('external.text')}
          </Text>
        </div>
        {items.length > 0 && connect}
      </Group>
      {sources.isPending && <Skeletons rows={2} height={96} />}
      {sources.error && <Problem error={sources.error} onRetry={sources.refetch} />}
      {sources.isSuccess && items.length === 0 && (
        <div className="rd-card">
          <EmptyState
            icon={<IconDatabaseSearch size={28} />}
            title={t('external.none')}
            text={t('external.noneText')}
          >
            {connect}
          </EmptyState>
        </div>
      )}
      {items.map((source) => (
        <SourceCard
          key={source.id}
          source={source}
          onEdit={() => setForm({ source, opened: true })}
          onChanged={refresh}
        />
      ))}
      <SourceForm
        source={form.source}
        opened={form.opened}
        onClose={() => setForm({ ...form, opened: false })}
        onDone={refresh}
      />
    </Stack>
  );
}
