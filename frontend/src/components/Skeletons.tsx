import { Skeleton, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

const widths = ['100%', '92%', '97%', '88%', '95%', '90%', '98%', '86%'];

/** Placeholder of a list while its first page loads. */
export function Skeletons({ rows = 4, height = 44 }: { rows?: number; height?: number }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm" role="status" aria-label={t('common.loading')}>
      {widths.slice(0, rows).map((width) => (
        <Skeleton key={width} height={height} width={width} radius="md" />
      ))}
    </Stack>
  );
}
