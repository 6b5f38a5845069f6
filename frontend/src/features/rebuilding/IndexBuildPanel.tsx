/** Changing the embedding model of a base in use: choose, watch, compare, switch, switch back, discard. */
import { Button, Group, Paper, Select, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getKnowledgeBaseQueryKey,
  listIndexBuildsOptions,
  listIndexBuildsQueryKey,
  listModelsOptions,
} from '../../api/generated/@tanstack/react-query.gen';
import { startIndexBuild } from '../../api/generated/sdk.gen';
import type { KnowledgeBaseView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { IndexBuildState } from './IndexBuildState';

const AT_WORK_MS = 1_500;
const AT_REST_MS = 15_000;

export function IndexBuildPanel({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const path = { knowledge_base_id: base.id };
  const models = useQuery(listModelsOptions({ query: { kind: 'EMBEDDING' } }));
  const builds = useQuery({
    ...listIndexBuildsOptions({ path }),
    refetchInterval: (query) => {
      const build = query.state.data?.items[0];
      if (!build) return false;
      const waits = build.state === 'queued' || build.state === 'building' || build.behind > 0;
      const compares = build.state === 'built' && !build.comparison;
      return waits || compares ? AT_WORK_MS : AT_REST_MS;
    },
  });
  const changed = async () => {
    await client.invalidateQueries({ queryKey: listIndexBuildsQueryKey({ path }) });
    await client.invalidateQueries({ queryKey: getKnowledgeBaseQueryKey({ path }) });
  };
  const build = builds.data?.items[0];
  const nameOf = (id: string | null | undefined) =>
    models.data?.items.find((model) => model.id === id)?.name ?? '…';
  return (
    <Paper className="rd-card" p="lg" component="section" aria-labelledby="index-build-title">
      <Stack>
        <div>
          <Title order={2} size="h5" mb={4} id="index-build-title">
            {t('rebuilding.title')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('rebuilding.text')}
          </Text>
        </div>
        {builds.error && <Problem error={builds.error} onRetry={builds.refetch} />}
        {build && <IndexBuildState build={build} nameOf={nameOf} onChanged={changed} />}
        {builds.data && !build && (
          <NewBuild
            base={base}
            models={models.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
            onChanged={changed}
          />
        )}
      </Stack>
    </Paper>
  );
}

interface NewBuildProps {
  base: KnowledgeBaseView;
  models: { value: string; label: string }[];
  onChanged: () => Promise<void>;
}

function NewBuild({ base, models, onChanged }: NewBuildProps) {
  const { t } = useTranslation();
  const [chosen, choose] = useState<string | null>(null);
  const start = useMutation({
    mutationFn: (model_id: string) =>
      startIndexBuild({ path: { knowledge_base_id: base.id }, body: { model_id }, throwOnError: true }),
    onSuccess: onChanged,
  });
  return (
    <>
      <Group align="flex-end">
        <Select
          label={t('rebuilding.model')}
          data={models.map((model) =>
            model.value === base.embedding_model_id
              ? { ...model, label: `${model.label} (${t('rebuilding.sameModel')})` }
              : model,
          )}
          value={chosen}
          onChange={choose}
          flex="1 1 240px"
        />
        <Button
          onClick={() => chosen && start.mutate(chosen)}
          loading={start.isPending}
          disabled={chosen === null}
        >
          {t('rebuilding.start')}
        </Button>
      </Group>
      {start.error && <Problem error={start.error} />}
    </>
  );
}
