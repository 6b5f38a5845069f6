import { Button, Paper, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFeather, IconTargetArrow } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  getApplicationOptions,
  getApplicationQueryKey,
  listApplicationsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { deleteApplication, updateApplication } from '../../api/generated/sdk.gen';
import type { ApplicationOut } from '../../api/generated/types.gen';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { PageProblem } from '../../components/PageProblem';
import { Skeletons } from '../../components/Skeletons';
import { useNotify } from '../../components/useNotify';
import { ApplicationForm } from './ApplicationForm';
import { BackToApplications } from './BackToApplications';
import { type ApplicationValues, toBody, valuesOf } from './values';

export default function ApplicationPage() {
  const { applicationId } = useParams({ from: '/house/applications/$applicationId' });
  const application = useQuery(getApplicationOptions({ path: { application_id: applicationId } }));
  return (
    <Page narrow>
      {application.isPending && <Skeletons rows={5} height={56} />}
      {application.error && (
        <PageProblem error={application.error} room="applications" onRetry={application.refetch} />
      )}
      {application.data && <Edit key={applicationId} application={application.data} />}
    </Page>
  );
}

function Edit({ application }: { application: ApplicationOut }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { done } = useNotify();
  const [asking, ask] = useDisclosure(false);
  const path = { application_id: application.id };
  const listKey = { queryKey: [{ _id: listApplicationsQueryKey()[0]._id }] };
  const save = useMutation({
    mutationFn: async (values: ApplicationValues) =>
      (await updateApplication({ path, body: toBody(values), throwOnError: true })).data,
    onSuccess: (saved) => {
      client.setQueryData(getApplicationQueryKey({ path }), saved);
      client.invalidateQueries(listKey);
      done(t('common.saved'));
    },
  });
  const remove = async () => {
    await deleteApplication({ path, throwOnError: true });
    await navigate({ to: '/applications' });
    await client.invalidateQueries(listKey);
  };
  return (
    <>
      <PageHeader above={<BackToApplications />} title={application.name} text={application.description}>
        <Button
          component={Link}
          to="/applications/$applicationId/intents"
          params={{ applicationId: application.id } as never}
          variant="default"
          leftSection={<IconTargetArrow size={17} />}
        >
          {t('intents.open')}
        </Button>
        <Button
          component={Link}
          to="/ask"
          search={{ application: application.id } as never}
          variant="light"
          leftSection={<IconFeather size={17} />}
        >
          {t('shell.ask')}
        </Button>
      </PageHeader>
      <ApplicationForm
        applicationId={application.id}
        initial={valuesOf(application)}
        submitLabel={t('common.save')}
        error={save.error}
        pending={save.isPending}
        onSubmit={save.mutate}
      />
      <Paper className="rd-card" p="lg" mt="lg">
        <Title order={2} size="h5" mb={4}>
          {t('applications.delete')}
        </Title>
        <Text size="sm" c="dimmed" mb="md">
          {t('applications.deleteText')}
        </Text>
        <Button color="red" variant="light" onClick={ask.open}>
          {t('applications.delete')}
        </Button>
      </Paper>
      <ConfirmDelete
        opened={asking}
        onClose={ask.close}
        name={application.name}
        title={t('applications.delete')}
        loss={t('applications.deleteText')}
        onConfirm={remove}
      />
    </>
  );
}
