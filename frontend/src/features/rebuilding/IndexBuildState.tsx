/** How far the other index is, and what can be done with it now. */
import { Alert, Badge, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../../api';
import {
  cancelIndexBuild,
  discardIndexBuild,
  resumeIndexBuild,
  switchIndexBuild,
  switchIndexBuildBack,
} from '../../api/generated/sdk.gen';
import type { IndexBuildView } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { formatNumber } from '../../i18n/format';
import { ComparisonTable } from './ComparisonTable';

const actions = {
  cancel: cancelIndexBuild,
  resume: resumeIndexBuild,
  switch: switchIndexBuild,
  back: switchIndexBuildBack,
  discard: discardIndexBuild,
} as const;

const colors = {
  queued: 'gray',
  building: 'lamp',
  built: 'lamp',
  switched: 'lamp',
  failed: 'red',
  cancelled: 'gray',
} as const;

interface Props {
  build: IndexBuildView;
  nameOf: (modelId: string | null | undefined) => string;
  onChanged: () => Promise<void>;
}

export function IndexBuildState({ build, nameOf, onChanged }: Props) {
  const { t } = useTranslation();
  const [asking, ask] = useDisclosure(false);
  const act = useMutation({
    mutationFn: async (action: keyof typeof actions) => {
      await actions[action]({
        path: { knowledge_base_id: build.knowledge_base_id, build_id: build.id },
        throwOnError: true,
      });
    },
    onSettled: async () => {
      ask.close();
      await onChanged();
    },
  });
  const { state } = build;
  const isWorking = state === 'queued' || state === 'building';
  const isReady = state === 'built' || state === 'switched';
  const error = build.error as { code: string; reason: string; hint?: string } | null;
  const button = (action: keyof typeof actions, label: string, variant: string = 'default') => (
    <Button
      variant={variant}
      loading={act.isPending && act.variables === action}
      onClick={() => act.mutate(action)}
    >
      {label}
    </Button>
  );
  return (
    <Stack>
      <Group gap="xs">
        <Badge color={colors[state]} variant="light" tt="none">
          {t(`rebuilding.states.${state}`)}
        </Badge>
        <Text size="sm" fw={600}>
          {nameOf(build.model_id)}
        </Text>
      </Group>
      {(isWorking || state === 'cancelled' || state === 'failed') && build.progress_total > 0 && (
        <div>
          <Progress
            value={(100 * build.progress_done) / build.progress_total}
            animated={isWorking}
            aria-label={t(`rebuilding.states.${state}`)}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {t('rebuilding.progress', {
              done: formatNumber(build.progress_done),
              total: formatNumber(build.progress_total),
            })}
          </Text>
        </div>
      )}
      {state === 'built' && (
        <Text size="sm">{t('rebuilding.builtText', { model: nameOf(build.model_id) })}</Text>
      )}
      {state === 'switched' && (
        <Text size="sm">
          {t('rebuilding.switchedText', {
            model: nameOf(build.model_id),
            former: nameOf(build.previous_model_id),
          })}
        </Text>
      )}
      {isReady && build.behind > 0 && (
        <Alert color="lamp" variant="light" p="xs">
          {t('rebuilding.behind', { count: build.behind })}
        </Alert>
      )}
      {error && <Problem error={new ProblemError(502, { ...error, detail: error.reason })} />}
      {isReady && <ComparisonTable build={build} nameOf={nameOf} onChanged={onChanged} />}
      {act.error && <Problem error={act.error} />}
      <Group>
        {isWorking && button('cancel', t('rebuilding.cancel'))}
        {(state === 'cancelled' || state === 'failed' || (isReady && error)) &&
          button('resume', t('rebuilding.resume'), 'filled')}
        {state === 'built' && button('switch', t('rebuilding.switch'), 'filled')}
        {state === 'switched' && button('back', t('rebuilding.back'))}
        <Button variant="subtle" color="red" onClick={ask.open}>
          {state === 'switched' ? t('rebuilding.discardFormer') : t('rebuilding.discard')}
        </Button>
      </Group>
      <Dialog
        opened={asking}
        onClose={ask.close}
        title={state === 'switched' ? t('rebuilding.discardFormer') : t('rebuilding.discard')}
      >
        <Stack>
          <Text size="sm">
            {state === 'switched' ? t('rebuilding.discardFormerText') : t('rebuilding.discardText')}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={ask.close}>
              {t('common.cancel')}
            </Button>
            <Button color="red" loading={act.isPending} onClick={() => act.mutate('discard')}>
              {state === 'switched' ? t('rebuilding.discardFormer') : t('rebuilding.discard')}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </Stack>
  );
}
