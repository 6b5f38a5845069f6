/** Where a model's gates come from, and fitting them anew to a test set. */
import { Button, Group, Progress, Select, Stack, Switch, Text } from '@mantine/core';
import { IconAdjustments, IconPlayerStop, IconRestore } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listModelsQueryKey, listTestSetsOptions } from '../../../api/generated/@tanstack/react-query.gen';
import { resetModelGates } from '../../../api/generated/sdk.gen';
import type { ModelView } from '../../../api/generated/types.gen';
import { Dialog } from '../../../components/Dialog';
import { Problem } from '../../../components/Problem';
import { useNotify } from '../../../components/useNotify';
import { formatDateTime, formatNumber } from '../../../i18n/format';
import { FitTable } from './FitTable';
import { useCalibration } from './useCalibration';

interface Props {
  model: ModelView;
  mayManage: boolean;
  opened: boolean;
  onClose: () => void;
}

export function GatesDialog({ model, mayManage, opened, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog opened={opened} onClose={onClose} size="xl" title={t('models.gates.title', { name: model.name })}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t(model.kind === 'RERANKER' ? 'models.gates.introReranker' : 'models.gates.intro')}
        </Text>
        <InForce model={model} mayManage={mayManage} />
        {mayManage && <Fitting model={model} />}
      </Stack>
    </Dialog>
  );
}

function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [{ _id: listModelsQueryKey()[0]._id }] });
}

function InForce({ model, mayManage }: Pick<Props, 'model' | 'mayManage'>) {
  const { t } = useTranslation();
  const { done, failed } = useNotify();
  const refresh = useRefresh();
  const reset = useMutation({
    mutationFn: () => resetModelGates({ path: { model_id: model.id }, throwOnError: true }),
    onSuccess: async () => {
      await refresh();
      done(t('models.gates.wasReset'));
    },
    onError: failed,
  });
  if (!model.gates) return <Text size="sm">{t('models.gates.defaultText')}</Text>;
  const { record } = model.gates;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {t('models.gates.fittedOn', {
            set: record.set_name,
            date: formatDateTime(record.fitted_at),
            questions: formatNumber(record.questions),
          })}
        </Text>
        {mayManage && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRestore size={15} />}
            loading={reset.isPending}
            onClick={() => reset.mutate()}
          >
            {t('models.gates.reset')}
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {t(`models.gates.how.${record.unanswerable}`)}
      </Text>
      <FitTable fits={record.fits} />
    </Stack>
  );
}

function Fitting({ model }: { model: ModelView }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const sets = useQuery(listTestSetsOptions({ query: { limit: 200 } }));
  const [setId, chooseSet] = useState<string | null>(null);
  const [leavesOut, leaveOut] = useState(false);
  const { calibration, start, stop } = useCalibration(refresh);
  const { progress, result, state } = calibration;
  const run = () => {
    const chosen = model.kind === 'RERANKER' ? { reranker_id: model.id } : { model_id: model.id };
    if (setId) start({ ...chosen, test_set_id: setId, unanswerable: leavesOut ? 'left-out' : 'auto' });
  };
  const own = model.kind === 'RERANKER' ? result?.reranker : result?.embedder;
  return (
    <Stack gap="xs">
      <Select
        label={t('models.gates.set')}
        description={t('models.gates.setHint')}
        searchable
        nothingFoundMessage={t('models.gates.noSets')}
        data={(sets.data?.items ?? []).map((one) => ({ value: one.id, label: one.name }))}
        value={setId}
        onChange={chooseSet}
      />
      <Switch
        label={t('models.gates.leaveOut')}
        description={t('models.gates.leaveOutHint')}
        checked={leavesOut}
        onChange={(event) => leaveOut(event.currentTarget.checked)}
      />
      {state === 'running' ? (
        <Group wrap="nowrap">
          <Progress
            flex={1}
            value={progress ? (100 * progress.done) / progress.total : 0}
            aria-label={t('hitTest.progress')}
          />
          <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
            {progress &&
              t('hitTest.progressCount', {
                done: formatNumber(progress.done),
                total: formatNumber(progress.total),
              })}
          </Text>
          <Button size="xs" variant="default" leftSection={<IconPlayerStop size={14} />} onClick={stop}>
            {t('hitTest.stop')}
          </Button>
        </Group>
      ) : (
        <Group>
          <Button leftSection={<IconAdjustments size={16} />} disabled={!setId} onClick={run}>
            {t('models.gates.run')}
          </Button>
        </Group>
      )}
      <div aria-live="polite">
        {state === 'stopped' && (
          <Text size="sm" c="dimmed">
            {t('models.gates.stopped')}
          </Text>
        )}
        {calibration.error !== null && <Problem error={calibration.error} onRetry={run} />}
        {result && own && (
          <Text size="sm">{t(own.stored ? 'models.gates.stored' : 'models.gates.notStored')}</Text>
        )}
      </div>
      {result && !own?.stored && <FitTable fits={result.fits} />}
    </Stack>
  );
}
