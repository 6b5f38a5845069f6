/** How models are, and what happens when one fails: the health board and the fallback policies. */
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { HealthBoard } from './HealthBoard';
import { PolicyList } from './PolicyList';
import { Purposes } from './Purposes';

export default function PoliciesPage() {
  const { t } = useTranslation();
  return (
    <Page>
      <PageHeader
        title={t('policies.title')}
        text={t('policies.intro')}
        above={
          <Anchor component={Link} to="/models" size="sm">
            {t('policies.back')}
          </Anchor>
        }
      />
      <HealthBoard />
      <PolicyList />
      <Purposes />
    </Page>
  );
}
