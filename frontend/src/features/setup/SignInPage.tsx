import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Navigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { getSetupOptions } from '../../api/generated/@tanstack/react-query.gen';
import { signIn } from '../../api/generated/sdk.gen';
import { Problem } from '../../components/Problem';
import { Door } from './Door';
import { useEnter } from './useEnter';

export default function SignInPage() {
  const { t } = useTranslation();
  const { next } = useSearch({ from: '/sign-in' });
  const enter = useEnter();
  const status = useQuery(getSetupOptions());
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (value) => (value.trim() ? null : t('setup.needed')),
      password: (value) => (value ? null : t('setup.needed')),
    },
  });
  const login = useMutation({
    mutationFn: async (values: typeof form.values) =>
      (await signIn({ body: { ...values, email: values.email.trim() }, throwOnError: true })).data,
    onSuccess: (session) => enter(session, next ?? '/ask'),
  });
  if (status.data?.required) return <Navigate to="/setup" search={{}} />;
  return (
    <Door title={t('setup.signInTitle')} text={t('setup.signInText')}>
      <form onSubmit={form.onSubmit((values) => login.mutate(values))} noValidate>
        <Stack>
          <TextInput
            label={t('setup.email')}
            type="email"
            autoComplete="username"
            autoFocus
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label={t('setup.password')}
            autoComplete="current-password"
            {...form.getInputProps('password')}
          />
          {login.error && <Problem error={login.error} title={t('setup.signInFailed')} />}
          <Button type="submit" size="md" loading={login.isPending}>
            {t('setup.signIn')}
          </Button>
          <Text size="xs" c="dimmed">
            {t('setup.forgot')}
          </Text>
        </Stack>
      </form>
    </Door>
  );
}
