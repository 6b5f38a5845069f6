import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listApplicationsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { createApplication } from '../../api/generated/sdk.gen';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { ApplicationForm } from './ApplicationForm';
import { BackToApplications } from './BackToApplications';
import { type ApplicationValues, emptyApplication, toBody } from './values';

export default function NewApplicationPage() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async (values: ApplicationValues) =>
      (await createApplication({ body: toBody(values), throwOnError: true })).data,
    onSuccess: async (application) => {
      await client.invalidateQueries({ queryKey: [{ _id: listApplicationsQueryKey()[0]._id }] });
      await navigate({ to: '/ask', search: { application: application.id } });
    },
  });
  return (
    <Page narrow>
      <PageHeader
        above={<BackToApplications />}
        title={t('applications.new')}
        text={t('applications.newText')}
      />
      <ApplicationForm
        initial={emptyApplication}
        submitLabel={t('applications.createAndAsk')}
        error={create.error}
        pending={create.isPending}
        onSubmit={create.mutate}
      />
    </Page>
  );
}
