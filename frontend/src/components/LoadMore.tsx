import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface Props {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** The button below a list that has more pages. */
export function LoadMore({ list }: Props) {
  const { t } = useTranslation();
  if (!list.hasNextPage) return null;
  return (
    <Button
      mt="md"
      variant="default"
      fullWidth
      loading={list.isFetchingNextPage}
      onClick={() => list.fetchNextPage()}
    >
      {t('common.loadMore')}
    </Button>
  );
}
