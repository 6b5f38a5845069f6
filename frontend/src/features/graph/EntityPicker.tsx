/** Looking for an entity by a part of its name; without words the most named ones. */
import { Button, Group, Text } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listGraphEntitiesOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { EntityView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { SearchField, useSearchWords } from '../../components/SearchField';
import classes from './GraphTab.module.css';

interface Props {
  baseId: string;
  chosen: EntityView | null;
  onChoose: (id: string | null) => void;
}

export function EntityPicker({ baseId, chosen, onChoose }: Props) {
  const { t } = useTranslation();
  const { words, setWords, q } = useSearchWords();
  const list = useQuery(
    listGraphEntitiesOptions({
      path: { knowledge_base_id: baseId },
      query: { limit: 12, ...(q ? { q, values: true } : {}) },
    }),
  );
  return (
    <div>
      <SearchField
        className={classes.search}
        label={t('graph.find')}
        words={words}
        onWords={setWords}
        mb="xs"
      />
      {list.error && <Problem error={list.error} onRetry={list.refetch} />}
      <Group gap={6}>
        {chosen && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconArrowLeft size={14} />}
            onClick={() => onChoose(null)}
          >
            {t('graph.overview')}
          </Button>
        )}
        {list.data?.items.map((item) => (
          <Button
            key={item.id}
            size="compact-sm"
            variant={item.id === chosen?.id ? 'filled' : 'light'}
            aria-pressed={item.id === chosen?.id}
            onClick={() => onChoose(item.id)}
          >
            {item.name}
          </Button>
        ))}
        {list.data?.items.length === 0 && (
          <Text size="sm" c="dimmed" role="status">
            {t('common.nothingFound')}
          </Text>
        )}
      </Group>
    </div>
  );
}
