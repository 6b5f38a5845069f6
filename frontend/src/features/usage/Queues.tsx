/** Models that take so many calls at once: how many they answer now, and how many wait. */
import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listModelQueuesOptions } from '../../api/generated/@tanstack/react-query.gen';
import { useSubjects } from './useSubjects';

const REFRESH_MS = 3_000;

export function Queues() {
  const { t } = useTranslation();
  const { nameOf } = useSubjects();
  const queues = useQuery({ ...listModelQueuesOptions(), refetchInterval: REFRESH_MS });
  const items = queues.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="queues">
      <Title order={2} size="h5" id="queues" mt="xl" mb="sm">
        {t('usage.queues')}
      </Title>
      {items.map((queue) => (
        <Text key={queue.model_id} size="sm">
          {t('usage.queue', {
            model: nameOf('model', queue.model_id) ?? t('usage.gone'),
            held: queue.held,
            concurrency: queue.concurrency,
            waiting: queue.waiting,
          })}
        </Text>
      ))}
    </section>
  );
}
