import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { createInvitation } from '../../api/generated/sdk.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { formatDateTime } from '../../i18n/format';
import { roles } from './Members';
import { OneTimeSecret } from './OneTimeSecret';

interface Props {
  opened: boolean;
  onClose: () => void;
  onDone: () => unknown;
}

export function InviteMember({ opened, onClose, onDone }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog opened={opened} onClose={onClose} title={t('settings.invite')}>
      <InviteForm onClose={onClose} onDone={onDone} />
    </Dialog>
  );
}

function InviteForm({ onClose, onDone }: Omit<Props, 'opened'>) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: { email: '', name: '', role: 'viewer' as (typeof roles)[number] },
    validate: { email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('setup.emailNeeded')) },
  });
  const invite = useMutation({
    mutationFn: async ({ email, name, role }: typeof form.values) =>
      (
        await createInvitation({
          body: { email: email.trim(), name: name.trim() || null, role },
          throwOnError: true,
        })
      ).data,
    onSuccess: onDone,
  });
  if (invite.data) {
    const { link, user, expires_at } = invite.data;
    return (
      <Stack>
        {link ? (
          <OneTimeSecret
            label={t('settings.invitationLink')}
            value={new URL(link, window.location.origin).href}
            note={t('settings.invitationNote', {
              email: user.email,
              until: expires_at ? formatDateTime(expires_at) : '',
            })}
          />
        ) : (
          <Text>{t('settings.addedAtOnce', { email: user.email })}</Text>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('common.close')}</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <form onSubmit={form.onSubmit((values) => invite.mutate(values))} noValidate>
      <Stack>
        <TextInput label={t('setup.email')} type="email" data-autofocus {...form.getInputProps('email')} />
        <TextInput
          label={t('common.name')}
          description={t('common.optional')}
          {...form.getInputProps('name')}
        />
        <Select
          label={t('settings.role')}
          description={t(`settings.roleHint.${form.values.role}`)}
          data={roles.map((value) => ({ value, label: t(`settings.roles.${value}`) }))}
          {...form.getInputProps('role')}
        />
        {invite.error && <Problem error={invite.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={invite.isPending}>
            {t('settings.makeLink')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
