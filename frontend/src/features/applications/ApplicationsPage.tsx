/** The applications of the workspace: named ways of answering. */
import { Button, Group, SimpleGrid, Text } from '@mantine/core';
import { IconFeather, IconLayoutGrid, IconPencil, IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listApplicationsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { listApplications } from '../../api/generated/sdk.gen';
import type { ApplicationOut } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { LoadMore } from '../../components/LoadMore';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useCursorList } from '../../components/useCursorList';
import classes from './ApplicationsPage.module.css';

/** What the server gives at once. */
const query = { limit: 200 };

export default function ApplicationsPage() {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const applications = useCursorList(listApplicationsQueryKey({ query }), (cursor, signal) =>
    listApplications({ query: { ...query, ...cursor }, signal, throwOnError: true }),
  );
  const items = applications.items;
  const create = mayWrite && (
    <Button component={Link} to="/applications/new" leftSection={<IconPlus size={17} />}>
      {t('applications.new')}
    </Button>
  );
  return (
    <Page>
      <PageHeader title={t('shell.applications')} text={t('applications.intro')}>
        {items.length > 0 && create}
      </PageHeader>
      {applications.isPending && <Skeletons rows={3} height={120} />}
      {applications.error && <Problem error={applications.error} onRetry={applications.refetch} />}
      {applications.isSuccess && items.length === 0 && (
        <EmptyState
          icon={<IconLayoutGrid size={28} />}
          title={t('applications.emptyTitle')}
          text={t('applications.emptyText')}
        >
          {create}
        </EmptyState>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
        {items.map((application) => (
          <Card key={application.id} application={application} mayWrite={mayWrite} />
        ))}
      </SimpleGrid>
      <LoadMore list={applications} />
    </Page>
  );
}

function Card({ application, mayWrite }: { application: ApplicationOut; mayWrite: boolean }) {
  const { t } = useTranslation();
  return (
    <article className={classes.card}>
      <Text component="h2" fw={600} fz="lg" m={0} lineClamp={1}>
        {application.name}
      </Text>
      <Text component="p" size="sm" c="dimmed" m={0} lineClamp={3} className={classes.description}>
        {application.description || t('knowledge.noDescription')}
      </Text>
      <Text size="sm" c="dimmed">
        {[
          t('applications.baseCount', { count: application.knowledge_base_ids.length }),
          t(`knowledge.modes.${application.settings.mode ?? 'blend'}`),
        ].join(' · ')}
      </Text>
      <Group gap="xs" mt={4}>
        <Button
          component={Link}
          to="/ask"
          search={{ application: application.id } as never}
          size="xs"
          variant="light"
          leftSection={<IconFeather size={15} />}
          aria-label={t('applications.chatWith', { name: application.name })}
        >
          {t('shell.ask')}
        </Button>
        {mayWrite && (
          <Button
            component={Link}
            to="/applications/$applicationId"
            params={{ applicationId: application.id } as never}
            size="xs"
            variant="subtle"
            color="gray"
            leftSection={<IconPencil size={15} />}
            aria-label={t('applications.editNamed', { name: application.name })}
          >
            {t('common.edit')}
          </Button>
        )}
      </Group>
    </article>
  );
}
