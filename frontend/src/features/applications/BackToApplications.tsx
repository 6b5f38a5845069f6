import { Anchor, Breadcrumbs } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

export function BackToApplications() {
  const { t } = useTranslation();
  return (
    <Breadcrumbs mb={6} separator="›">
      <Anchor component={Link} to="/applications" size="sm">
        {t('shell.applications')}
      </Anchor>
    </Breadcrumbs>
  );
}
