/** How far the graph is, what it holds and has cost, and what can be done with it. */
import { Badge, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../../api';
import { cancelGraph, deleteGraph } from '../../api/generated/sdk.gen';
import type { GraphView, KnowledgeBaseView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { Dialog } from '../../components/Dialog';
import { Facts } from '../../components/Facts';
import { Problem } from '../../components/Problem';
import { formatNumber } from '../../i18n/format';
import { GraphBuildForm } from './GraphBuildForm';

const colors = {
  none: 'gray',
  queued: 'gray',
  building: 'lamp',
  ready: 'lamp',
  failed: 'red',
  cancelled: 'gray',
} as const;

interface Props {
  base: KnowledgeBaseView;
  graph: GraphView;
  onChanged: () => Promise<void>;
}

export function GraphStatus({ base, graph, onChanged }: Props) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const [building, build] = useDisclosure(false);
  const [deleting, remove] = useDisclosure(false);
  const path = { knowledge_base_id: base.id };
  const cancel = useMutation({
    mutationFn: () => cancelGraph({ path, throwOnError: true }),
    onSettled: onChanged,
  });
  const isWorking = graph.state === 'queued' || graph.state === 'building';
  const error = graph.error as { code: string; reason: string; hint?: string } | null;
  const { progress_done: done, progress_total: total } = graph;
  const progress = t('graph.progress', { done: formatNumber(done), total: formatNumber(total) });
  const cost =
    graph.cost &&
    t('graph.spent', { amount: formatNumber(Number(graph.cost)), currency: graph.currency ?? '' });
  return (
    <Paper className="rd-card" p="md" component="section" aria-label={t('graph.title')}>
      <Stack gap="sm">
        <Group gap="xs" justify="space-between">
          <Group gap="xs">
            <Badge color={colors[graph.state]} variant="light" tt="none">
              {t(`graph.states.${graph.state}`)}
            </Badge>
            <Text size="sm" component="div">
              <Facts
                items={[
                  t('graph.entityCount', { count: graph.entities }),
                  t('graph.relationCount', { count: graph.relations }),
                  graph.pending > 0 && !isWorking && t('graph.pending', { count: graph.pending }),
                  graph.skipped > 0 && t('graph.skipped', { count: graph.skipped }),
                  cost,
                ]}
              />
            </Text>
          </Group>
          {mayWrite && (
            <Group gap="xs">
              {isWorking ? (
                <Button
                  size="xs"
                  variant="default"
                  loading={cancel.isPending}
                  onClick={() => cancel.mutate()}
                >
                  {t('graph.cancel')}
                </Button>
              ) : (
                <Button size="xs" variant="default" onClick={build.open}>
                  {t('graph.rebuild')}
                </Button>
              )}
              <Button size="xs" variant="subtle" color="red" onClick={remove.open}>
                {t('common.delete')}
              </Button>
            </Group>
          )}
        </Group>
        {isWorking && total > 0 && (
          <div>
            <Progress value={(100 * done) / total} animated aria-label={progress} />
            <Text size="xs" c="dimmed" mt={4} role="status">
              {progress}
            </Text>
          </div>
        )}
        {error && <Problem error={new ProblemError(502, { ...error, detail: error.reason })} />}
        {cancel.error && <Problem error={cancel.error} />}
      </Stack>
      <Dialog opened={building} onClose={build.close} title={t('graph.rebuild')}>
        <GraphBuildForm
          baseId={base.id}
          graph={graph}
          onStarted={async () => {
            build.close();
            await onChanged();
          }}
        />
      </Dialog>
      <ConfirmDelete
        opened={deleting}
        onClose={remove.close}
        name={base.name}
        title={t('graph.deleteTitle')}
        loss={t('graph.deleteLoss')}
        onConfirm={async () => {
          await deleteGraph({ path, throwOnError: true });
          await onChanged();
        }}
      />
    </Paper>
  );
}
