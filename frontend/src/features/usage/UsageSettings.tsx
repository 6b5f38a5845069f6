/** Where days and months begin, and how long single calls are kept. */
import { Button, Group, NumberInput, Select, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getUsageSettingsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { setUsageSettings } from '../../api/generated/sdk.gen';
import type { UsageSettingsView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';

export function UsageSettings() {
  const settings = useQuery(getUsageSettingsOptions());
  if (settings.error) return <Problem error={settings.error} onRetry={settings.refetch} />;
  return settings.data ? <SettingsForm key={JSON.stringify(settings.data)} settings={settings.data} /> : null;
}

function SettingsForm({ settings }: { settings: UsageSettingsView }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const notify = useNotify();
  const [zone, setZone] = useState(settings.time_zone ?? 'UTC');
  const [days, setDays] = useState<number | string>(settings.keep_days ?? 180);
  const save = useMutation({
    mutationFn: () =>
      setUsageSettings({ body: { time_zone: zone, keep_days: Number(days) || 0 }, throwOnError: true }),
    onSuccess: async () => {
      notify.done(t('common.saved'));
      await client.invalidateQueries();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Title order={2} size="h5">
        {t('usage.counting')}
      </Title>
      <Text size="sm" c="dimmed" mb="md" maw={640}>
        {t('usage.countingText')}
      </Text>
      <Group align="flex-start">
        <Select
          label={t('usage.timeZone')}
          searchable
          allowDeselect={false}
          value={zone}
          onChange={(value) => value && setZone(value)}
          data={[...new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])]}
        />
        <NumberInput
          label={t('usage.keepDays')}
          description={t('usage.keepDaysHint')}
          inputWrapperOrder={['label', 'input', 'description']}
          min={0}
          max={36_500}
          value={days}
          onChange={setDays}
        />
        <Button
          type="submit"
          variant="default"
          mt={24}
          loading={save.isPending}
          disabled={zone === settings.time_zone && days === settings.keep_days}
        >
          {t('common.save')}
        </Button>
      </Group>
      {save.error && <Problem error={save.error} />}
    </form>
  );
}
