/** The very first visit: the token from the terminal makes the first administrator. */
import { Button, Code, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Navigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { getSetupOptions } from '../../api/generated/@tanstack/react-query.gen';
import { completeSetup } from '../../api/generated/sdk.gen';
import { Problem } from '../../components/Problem';
import { currentLanguage } from '../../i18n';
import { Door } from './Door';
import { useEnter } from './useEnter';

export default function SetupPage() {
  const { t } = useTranslation();
  const { token } = useSearch({ from: '/setup' });
  const enter = useEnter();
  const status = useQuery(getSetupOptions());
  const form = useForm({
    initialValues: { token: token ?? '', name: '', email: '', password: '' },
    validate: {
      token: (value) => (value.trim() ? null : t('setup.needed')),
      name: (value) => (value.trim() ? null : t('setup.needed')),
      email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('setup.emailNeeded')),
      password: (value) => (value.length >= 10 ? null : t('setup.passwordShort')),
    },
  });
  const setup = useMutation({
    mutationFn: async (values: typeof form.values) =>
      (
        await completeSetup({
          body: {
            ...values,
            token: values.token.trim(),
            email: values.email.trim(),
            locale: currentLanguage(),
          },
          throwOnError: true,
        })
      ).data,
    onSuccess: (session) => enter(session, '/welcome'),
  });
  if (status.data?.required === false && !setup.isSuccess) return <Navigate to="/sign-in" search={{}} />;
  return (
    <Door title={t('setup.title')} text={t('setup.text')}>
      <form onSubmit={form.onSubmit((values) => setup.mutate(values))} noValidate>
        <Stack>
          <TextInput
            label={t('setup.token')}
            description={
              <>
                {t('setup.tokenWhere')} <Code>{'refdesk serve'}</Code>
              </>
            }
            autoComplete="off"
            spellCheck={false}
            autoFocus={!token}
            {...form.getInputProps('token')}
          />
          <TextInput
            label={t('setup.name')}
            autoComplete="name"
            autoFocus={Boolean(token)}
            {...form.getInputProps('name')}
          />
          <TextInput
            label={t('setup.email')}
            type="email"
            autoComplete="email"
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label={t('setup.password')}
            description={t('setup.passwordHint')}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          {setup.error && <Problem error={setup.error} />}
          <Button type="submit" size="md" loading={setup.isPending}>
            {t('setup.create')}
          </Button>
          <Text size="xs" c="dimmed">
            {t('setup.privacy')}
          </Text>
        </Stack>
      </form>
    </Door>
  );
}
