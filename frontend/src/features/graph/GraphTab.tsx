/** The knowledge graph of a base: build it, look for an entity, see and read what belongs together. */
import { Grid, Paper, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconTopologyStar3 } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getGraphEntityOptions,
  getGraphOptions,
  getGraphOverviewOptions,
  getGraphOverviewQueryKey,
  getGraphQueryKey,
  listGraphEntitiesQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import type { KnowledgeBaseView, RelationView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { EntityPicker } from './EntityPicker';
import { GraphBuildForm } from './GraphBuildForm';
import { GraphDrawing } from './GraphDrawing';
import { GraphStatus } from './GraphStatus';
import classes from './GraphTab.module.css';
import { RelationEvidence } from './RelationEvidence';
import { RelationList } from './RelationList';

const AT_WORK_MS = 2_000;

export function GraphTab({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const client = useQueryClient();
  const path = { knowledge_base_id: base.id };
  const graph = useQuery({
    ...getGraphOptions({ path }),
    refetchInterval: ({ state: { data } }) =>
      data?.state === 'queued' || data?.state === 'building' ? AT_WORK_MS : false,
  });
  const changed = () => client.invalidateQueries({ queryKey: getGraphQueryKey({ path }) });
  const relations = graph.data?.relations;
  useEffect(() => {
    if (relations === undefined) return;
    // What is drawn and listed follows what was read meanwhile.
    for (const of of [getGraphOverviewQueryKey, listGraphEntitiesQueryKey]) {
      client.invalidateQueries({ queryKey: of({ path: { knowledge_base_id: base.id } }) });
    }
  }, [client, base.id, relations]);
  if (graph.isPending) return <Skeletons rows={5} />;
  if (graph.error) return <Problem error={graph.error} onRetry={graph.refetch} />;
  if (graph.data.state === 'none') {
    return (
      <EmptyState
        icon={<IconTopologyStar3 size={30} />}
        title={t('graph.none')}
        text={mayWrite ? t('graph.noneText') : t('graph.noneForReaders')}
      >
        {mayWrite && <GraphBuildForm baseId={base.id} onStarted={changed} />}
      </EmptyState>
    );
  }
  return (
    <Stack>
      <GraphStatus base={base} graph={graph.data} onChanged={changed} />
      {graph.data.relations > 0 ? <GraphView baseId={base.id} /> : <Text c="dimmed">{t('graph.empty')}</Text>}
    </Stack>
  );
}

/** A part of the graph as a drawing or a list, and the paragraphs of the relation that is chosen. */
function GraphView({ baseId }: { baseId: string }) {
  const { t } = useTranslation();
  const [entity, setEntity] = useState<string | null>(null);
  const [relation, setRelation] = useState<RelationView | null>(null);
  const [shape, setShape] = useState('drawing');
  const path = { knowledge_base_id: baseId };
  const around = getGraphEntityOptions({
    path: { ...path, entity_id: entity ?? '' },
    query: { hops: 2, limit: 60 },
  });
  const overview = getGraphOverviewOptions({ path, query: { limit: 60 } });
  const chosen = useQuery({ ...around, enabled: entity !== null });
  const whole = useQuery({ ...overview, enabled: entity === null });
  const part = entity === null ? whole : chosen;
  const choose = (id: string | null) => {
    setEntity(id);
    setRelation(null);
  };
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack gap="sm">
          <EntityPicker baseId={baseId} chosen={part.data?.centre ?? null} onChoose={choose} />
          <div className={classes.bar}>
            <SegmentedControl
              size="xs"
              aria-label={t('graph.shape')}
              value={shape}
              onChange={setShape}
              data={[
                { value: 'drawing', label: t('graph.drawing') },
                { value: 'list', label: t('graph.list') },
              ]}
            />
            {part.data?.truncated && (
              <Text size="xs" c="dimmed">
                {t('graph.more')}
              </Text>
            )}
          </div>
          {part.isPending && <Skeletons rows={4} />}
          {part.error && <Problem error={part.error} onRetry={part.refetch} />}
          {part.data && shape === 'drawing' && (
            <GraphDrawing part={part.data} relation={relation} onEntity={choose} onRelation={setRelation} />
          )}
          {part.data && shape === 'list' && (
            <RelationList edges={part.data.edges} relation={relation} onRelation={setRelation} />
          )}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Paper
          className="rd-card"
          p="md"
          component="section"
          aria-label={t('graph.evidence')}
          aria-live="polite"
        >
          {relation ? (
            <RelationEvidence relation={relation} />
          ) : (
            <Text size="sm" c="dimmed">
              {t('graph.chooseRelation')}
            </Text>
          )}
        </Paper>
      </Grid.Col>
    </Grid>
  );
}
