/** The questions of a comparison with their answers beside each other, and the way to each trace. */
import { Anchor, Badge, Button, Group, Paper, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listComparedAnswers } from '../../api/generated/sdk.gen';
import type { ComparedAnswer, ComparisonView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';

const GOOD = ['right', 'refused'];

export function ComparedAnswers({ comparison }: { comparison: ComparisonView }) {
  const { t } = useTranslation();
  const [differing, setDiffering] = useState(false);
  const found = useInfiniteQuery({
    queryKey: ['comparedAnswers', comparison.id, comparison.done, differing],
    queryFn: async ({ pageParam }) =>
      (
        await listComparedAnswers({
          path: { comparison_id: comparison.id },
          query: { limit: 20, cursor: pageParam, differing },
          throwOnError: true,
        })
      ).data,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
  if (found.error) return <Problem error={found.error} onRetry={found.refetch} />;
  const names = comparison.variants.map((one) => one.settings.name);
  return (
    <Stack>
      <Switch
        label={t('comparing.differing')}
        checked={differing}
        onChange={(event) => setDiffering(event.currentTarget.checked)}
      />
      {found.data?.pages
        .flatMap((page) => page.items)
        .map((item) => (
          <Paper key={item.place} className="rd-card" p="md" component="article">
            <Text fw={600}>{item.question}</Text>
            <SimpleGrid cols={{ base: 1, sm: 2, lg: Math.min(names.length, 3) }} mt="sm">
              {item.answers.map((one) => (
                <Answer key={one.variant} name={names[one.variant] ?? ''} answer={one} />
              ))}
            </SimpleGrid>
          </Paper>
        ))}
      {found.hasNextPage && (
        <Button variant="default" onClick={() => found.fetchNextPage()} loading={found.isFetchingNextPage}>
          {t('common.more')}
        </Button>
      )}
    </Stack>
  );
}

function Answer({ name, answer }: { name: string; answer: ComparedAnswer }) {
  const { t } = useTranslation();
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Badge variant="light" color={GOOD.includes(answer.outcome ?? '') ? 'green' : 'gray'}>
          {t(`comparing.outcomes.${answer.outcome ?? 'waiting'}`)}
        </Badge>
      </Group>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {answer.error ?? answer.answer}
      </Text>
      {answer.run_id && (
        <Anchor component={Link} to={`/trace/${answer.run_id}`} size="sm">
          {t('comparing.trace')}
        </Anchor>
      )}
    </Stack>
  );
}
