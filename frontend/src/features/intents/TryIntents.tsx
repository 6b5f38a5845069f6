/** Which intent would this be? A question and the scores of the intents, as a run would take it. */
import { Badge, Button, Group, Paper, Progress, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getStatusOptions } from '../../api/generated/@tanstack/react-query.gen';
import { tryIntents } from '../../api/generated/sdk.gen';
import { Problem } from '../../components/Problem';
import { formatPercent } from '../../i18n/format';

interface Props {
  applicationId: string;
  /** The tree's version: what was tried is tried again when the tree changes. */
  version: number;
  onChoose: (id: string) => void;
}

export function TryIntents({ applicationId, version, onChoose }: Props) {
  const { t } = useTranslation();
  const status = useQuery(getStatusOptions());
  const [text, setText] = useState('');
  const [asked, setAsked] = useState('');
  const [byModel, setByModel] = useState(false);
  const tried = useQuery({
    queryKey: ['try-intents', applicationId, version, asked, byModel],
    enabled: asked !== '',
    queryFn: async () =>
      (
        await tryIntents({
          path: { application_id: applicationId },
          body: { question: asked, by: byModel ? 'model' : 'examples' },
          throwOnError: true,
        })
      ).data,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(text.trim());
  };
  const scores = tried.data?.scores.slice(0, 5) ?? [];
  return (
    <Paper className="rd-card" p="md" mt="lg" component="section" aria-labelledby="try-intents">
      <Title order={2} size="h5" id="try-intents" mb="sm">
        {t('intents.try')}
      </Title>
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <TextInput
            style={{ flex: 1 }}
            label={t('ask.question')}
            placeholder={t('intents.tryPlaceholder')}
            value={text}
            maxLength={2000}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" variant="light" loading={tried.isFetching} disabled={!text.trim()}>
            {t('intents.tryAction')}
          </Button>
        </Group>
        {status.data?.has_language_model && (
          <Switch
            mt="sm"
            size="xs"
            label={t('intents.tryByModel')}
            checked={byModel}
            onChange={(event) => setByModel(event.currentTarget.checked)}
          />
        )}
      </form>
      {tried.error && <Problem error={tried.error} />}
      <Stack gap="xs" mt={tried.data ? 'md' : 0} role="status">
        {tried.data && !scores.some((one) => one.accepted) && (
          <Text size="sm" fw={600}>
            {t('intents.outOfScope')}
          </Text>
        )}
        {scores.map((one) => (
          <div key={one.id}>
            <Group justify="space-between" gap="xs" wrap="nowrap">
              <Button
                variant="subtle"
                size="compact-sm"
                color={one.accepted ? 'lamp' : 'gray'}
                onClick={() => onChoose(one.id)}
              >
                {one.path.join(' › ')}
              </Button>
              <Group gap={6} wrap="nowrap">
                {one.accepted && (
                  <Badge size="xs" variant="light">
                    {t('intents.accepted')}
                  </Badge>
                )}
                <Text size="xs">{formatPercent(one.score)}</Text>
              </Group>
            </Group>
            <Progress value={one.score * 100} size="xs" color={one.accepted ? 'lamp' : 'gray'} aria-hidden />
          </div>
        ))}
        {tried.data && (
          <Text size="xs" c="dimmed">
            {t('intents.triedHow', {
              threshold: formatPercent(tried.data.threshold),
              ms: Math.round(tried.data.elapsed_ms),
            })}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
