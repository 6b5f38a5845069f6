import { Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { createApiKey } from '../../api/generated/sdk.gen';
import type { ApiKeyRequest } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { useSourceChoices } from '../ask/sources';
import { OneTimeSecret } from './OneTimeSecret';

const scopes = ['read', 'ask', 'write', 'manage'] as const;
const lifetimes = ['30', '90', '365', 'never'] as const;

interface Props {
  opened: boolean;
  onClose: () => void;
  onDone: () => unknown;
}

export function NewApiKey({ opened, onClose, onDone }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog opened={opened} onClose={onClose} title={t('settings.newKey')}>
      <NewKeyForm onClose={onClose} onDone={onDone} />
    </Dialog>
  );
}

function NewKeyForm({ onClose, onDone }: Omit<Props, 'opened'>) {
  const { t } = useTranslation();
  const { bases, applications } = useSourceChoices();
  const form = useForm({
    initialValues: {
      name: '',
      scopes: ['read', 'ask'] as string[],
      lifetime: '90' as string,
      resource: 'any' as string,
    },
    validate: {
      name: (value) => (value.trim() ? null : t('setup.needed')),
      scopes: (value) => (value.length > 0 ? null : t('setup.needed')),
    },
  });
  const create = useMutation({
    mutationFn: async (values: typeof form.values) => {
      const [kind, id] = values.resource.split(':');
      const days = Number(values.lifetime);
      const body: ApiKeyRequest = {
        name: values.name.trim(),
        scopes: scopes.filter((scope) => values.scopes.includes(scope)),
        expires_at: Number.isNaN(days) ? null : new Date(Date.now() + days * 86_400_000).toISOString(),
        resource: id && (kind === 'application' || kind === 'knowledge_base') ? { kind, id } : null,
      };
      return (await createApiKey({ body, throwOnError: true })).data;
    },
    onSuccess: onDone,
  });
  if (create.data) {
    return (
      <Stack>
        <OneTimeSecret
          label={t('settings.keyMade')}
          value={create.data.secret}
          note={t('settings.keyShownOnce')}
        />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('common.close')}</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <TextInput
          label={t('common.name')}
          description={t('settings.keyNameHint')}
          maxLength={200}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Checkbox.Group label={t('settings.may')} {...form.getInputProps('scopes')}>
          <Stack gap={8} mt={6}>
            {scopes.map((scope) => (
              <Checkbox
                key={scope}
                value={scope}
                label={t(`settings.scopes.${scope}`)}
                description={t(`settings.scopeHint.${scope}`)}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <Select
          label={t('settings.keyFor')}
          data={[
            { value: 'any', label: t('settings.wholeWorkspace') },
            {
              group: t('shell.applications'),
              items: applications.map((one) => ({ value: `application:${one.id}`, label: one.name })),
            },
            {
              group: t('shell.knowledge'),
              items: bases.map((one) => ({ value: `knowledge_base:${one.id}`, label: one.name })),
            },
          ]}
          {...form.getInputProps('resource')}
        />
        <Select
          label={t('settings.expires')}
          data={lifetimes.map((value) => ({ value, label: t(`settings.lifetimes.${value}`) }))}
          {...form.getInputProps('lifetime')}
        />
        {create.error && <Problem error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('settings.makeKey')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
