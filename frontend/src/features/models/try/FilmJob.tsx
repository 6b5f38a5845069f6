/** One job for a film: how far it is, a way to take it back, and the film. */
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../../api/credentials';
import { getModelFilmOptions, getModelFilmQueryKey } from '../../../api/generated/@tanstack/react-query.gen';
import { cancelModelFilm } from '../../../api/generated/sdk.gen';
import type { FilmView } from '../../../api/generated/types.gen';
import { ProblemError } from '../../../api/problem';
import { useNotify } from '../../../components/useNotify';
import { useProblemText } from '../../../components/useProblemText';
import { formatAgo, formatPercent } from '../../../i18n/format';

const isOpen = (film: FilmView) => film.stage === 'queued' || film.stage === 'running';
const lookAgainMs = 3000;

export function FilmJob({ film }: { film: FilmView }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { failed } = useNotify();
  const path = { film_id: film.id };
  const asked = useQuery({
    ...getModelFilmOptions({ path }),
    // What the list says may be old; the job itself is asked for at once.
    initialData: film,
    initialDataUpdatedAt: 0,
    enabled: isOpen(film),
    refetchInterval: (query) => (query.state.data && isOpen(query.state.data) ? lookAgainMs : false),
  });
  const now = asked.data;
  const cancel = useMutation({
    mutationFn: async () => (await cancelModelFilm({ path, throwOnError: true })).data,
    onSuccess: (done) => client.setQueryData(getModelFilmQueryKey({ path }), done),
    onError: failed,
  });
  const error = now.error as Record<string, unknown> | null;
  const problem = useProblemText(new ProblemError(0, { ...error, detail: error?.message }));
  const details = error?.details as Record<string, unknown> | undefined;
  const vendor = details?.vendor_message;
  return (
    <Stack gap={6} aria-live="polite">
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" lineClamp={2}>
          {now.prompt}
        </Text>
        {isOpen(now) && (
          <Button
            size="compact-sm"
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.mutate()}
          >
            {t('common.cancel')}
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {t(`models.try.stages.${now.stage}`)}
        {now.progress != null && isOpen(now) && ` · ${formatPercent(now.progress)}`}
        {` · ${formatAgo(now.created_at)}`}
      </Text>
      {isOpen(now) && (
        <Progress
          value={now.progress != null ? now.progress * 100 : 100}
          animated
          aria-label={t(`models.try.stages.${now.stage}`)}
        />
      )}
      {now.stage === 'failed' && (
        <Text size="sm" c="red">
          {typeof vendor === 'string' && vendor ? t('models.vendorSays', { message: vendor }) : problem.text}
        </Text>
      )}
      {now.stage === 'finished' && (
        // biome-ignore lint/a11y/useMediaCaption: the film is what the model made of the words above
        <video
          controls
          preload="metadata"
          src={withWorkspace(`/api/v1/model-films/${now.id}/file`)}
          style={{ width: '100%' }}
        />
      )}
    </Stack>
  );
}
