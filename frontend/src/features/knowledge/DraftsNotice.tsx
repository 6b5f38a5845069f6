import { Alert, Anchor } from '@mantine/core';
import { IconEyeCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listDraftsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { useCaller } from '../../app/session';

/** Files somebody began to look at and has not imported yet. */
export function DraftsNotice({ baseId }: { baseId: string }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const drafts = useQuery({
    ...listDraftsOptions({ path: { knowledge_base_id: baseId }, query: { limit: 1 } }),
    enabled: mayWrite,
  });
  const count = drafts.data?.total ?? 0;
  if (count === 0) return null;
  return (
    <Alert mb="md" icon={<IconEyeCheck size={18} />}>
      {t('preview.waiting', { count })}{' '}
      <Anchor
        component={Link}
        size="sm"
        underline="always"
        to="/knowledge/$baseId/preview"
        params={{ baseId } as never}
      >
        {t('preview.continue')}
      </Anchor>
    </Alert>
  );
}
