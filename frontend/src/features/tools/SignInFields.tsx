/** How Refdesk signs in to a server with OAuth. */
import { PasswordInput, Select, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ServerInputs } from './ServerForm';

export function SignInFields({ form }: { form: ServerInputs }) {
  const { t } = useTranslation();
  const { grant } = form.values;
  return (
    <>
      <Select
        label={t('tools.form.oauth')}
        allowDeselect={false}
        data={(['none', 'client_credentials', 'authorization_code'] as const).map((value) => ({
          value,
          label: t(`tools.form.oauthChoices.${value}`),
        }))}
        {...form.getInputProps('grant')}
      />
      {grant !== 'none' && (
        <>
          <TextInput
            label={t('tools.form.clientId')}
            description={grant === 'authorization_code' ? t('tools.form.clientIdHint') : undefined}
            autoComplete="off"
            {...form.getInputProps('clientId')}
          />
          <PasswordInput
            label={t('tools.form.clientSecret')}
            description={t('tools.form.tokenHint')}
            autoComplete="off"
            {...form.getInputProps('clientSecret')}
          />
          <TextInput label={t('tools.form.scope')} {...form.getInputProps('scope')} />
          <TextInput
            label={t('tools.form.issuer')}
            description={t('tools.form.issuerHint')}
            {...form.getInputProps('issuer')}
          />
        </>
      )}
    </>
  );
}
