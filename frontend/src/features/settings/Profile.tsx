import {
  Button,
  Group,
  Paper,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
  useMantineColorScheme,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { changePassword, updateUser } from '../../api/generated/sdk.gen';
import { rememberSession, sessionKey, useCaller } from '../../app/session';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';
import { changeLanguage, currentLanguage, type Language } from '../../i18n';
import { MyNotes } from './MyNotes';

export function Profile() {
  return (
    <Stack maw={560} gap="lg">
      <About />
      <Appearance />
      <MyNotes />
      <Password />
    </Stack>
  );
}

function About() {
  const { t } = useTranslation();
  const { session } = useCaller();
  const client = useQueryClient();
  const { done } = useNotify();
  const user = session.user;
  const form = useForm({ initialValues: { name: user?.name ?? '' } });
  const save = useMutation({
    mutationFn: async ({ name }: { name: string }) => {
      if (user)
        await updateUser({ path: { user_id: user.id }, body: { name: name.trim() }, throwOnError: true });
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: sessionKey });
      form.resetDirty();
      done(t('common.saved'));
    },
  });
  if (!user) return null;
  return (
    <Paper
      component="form"
      className="rd-card"
      p="lg"
      onSubmit={form.onSubmit((values) => save.mutate(values))}
    >
      <Stack>
        <TextInput
          label={t('setup.name')}
          maxLength={200}
          autoComplete="name"
          {...form.getInputProps('name')}
        />
        <TextInput label={t('setup.email')} value={user.email} readOnly />
        {save.error && <Problem error={save.error} />}
        <Group justify="flex-end">
          <Button
            type="submit"
            loading={save.isPending}
            disabled={!form.isDirty() || !form.values.name.trim()}
          >
            {t('common.save')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function Appearance() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Paper className="rd-card" p="lg">
      <Stack>
        <Group justify="space-between">
          <Text size="sm" fw={600}>
            {t('common.theme')}
          </Text>
          <SegmentedControl
            aria-label={t('common.theme')}
            value={colorScheme}
            onChange={(value) => setColorScheme(value as typeof colorScheme)}
            data={[
              { value: 'light', label: t('common.light') },
              { value: 'dark', label: t('common.dark') },
              { value: 'auto', label: t('common.auto') },
            ]}
          />
        </Group>
        <Group justify="space-between">
          <Text size="sm" fw={600}>
            {t('common.language')}
          </Text>
          <SegmentedControl
            aria-label={t('common.language')}
            value={currentLanguage()}
            onChange={(value) => changeLanguage(value as Language)}
            data={[
              { value: 'en', label: t('common.english') },
              { value: 'zh', label: t('common.chinese') },
            ]}
          />
        </Group>
      </Stack>
    </Paper>
  );
}

function Password() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { done } = useNotify();
  const { session } = useCaller();
  const form = useForm({
    initialValues: { current_password: '', new_password: '' },
    validate: {
      current_password: (value) => (value ? null : t('setup.needed')),
      new_password: (value) => (value.length >= 10 ? null : t('setup.passwordShort')),
    },
  });
  const change = useMutation({
    mutationFn: async (body: typeof form.values) => (await changePassword({ body, throwOnError: true })).data,
    onSuccess: (changed) => {
      client.setQueryData(sessionKey, rememberSession(changed));
      form.reset();
      done(t('settings.passwordChanged'));
    },
  });
  if (!session.user) return null;
  return (
    <Paper
      component="form"
      className="rd-card"
      p="lg"
      onSubmit={form.onSubmit((values) => change.mutate(values))}
    >
      <Stack>
        <Title order={2} size="h5">
          {t('settings.password')}
        </Title>
        <input type="hidden" autoComplete="username" value={session.user.email} readOnly />
        <PasswordInput
          label={t('settings.currentPassword')}
          autoComplete="current-password"
          {...form.getInputProps('current_password')}
        />
        <PasswordInput
          label={t('setup.newPassword')}
          description={t('setup.passwordHint')}
          autoComplete="new-password"
          {...form.getInputProps('new_password')}
        />
        {change.error && <Problem error={change.error} />}
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            {t('settings.passwordNote')}
          </Text>
          <Button type="submit" loading={change.isPending}>
            {t('settings.changePassword')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
