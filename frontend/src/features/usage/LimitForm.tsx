/** Setting a limit: how much, in which window, for whom, counted apart by what. */
import { Checkbox, Group, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { changeModelLimit, createModelLimit } from '../../api/generated/sdk.gen';
import type { LimitView } from '../../api/generated/types.gen';
import { type EditingProps, EditingSheet, FormEnd, useSaving } from './EditingSheet';
import { bodyOf, dimensions, measures, paths, valuesOf, windows } from './limitValues';
import { useSubjects } from './useSubjects';

export function LimitForm({ editing, onClose, onSaved }: EditingProps<LimitView>) {
  const { t } = useTranslation();
  const titles = { new: t('usage.newLimit'), edit: t('usage.editLimit') };
  return (
    <EditingSheet editing={editing} titles={titles} onClose={onClose}>
      {(limit) => <Form limit={limit} onClose={onClose} onSaved={onSaved} />}
    </EditingSheet>
  );
}

interface FormProps extends Omit<EditingProps<LimitView>, 'editing'> {
  limit: LimitView | null;
}

function Form({ limit, onClose, onSaved }: FormProps) {
  const { t } = useTranslation();
  const { named } = useSubjects();
  const form = useForm({
    initialValues: valuesOf(limit),
    validate: {
      name: (value) => (value.trim() ? null : t('setup.needed')),
      amount: (value) => (value === '' ? t('setup.needed') : null),
      currency: (value, values) =>
        values.measure !== 'money' || /^[A-Z]{3}$/.test(value) ? null : t('usage.currencyHint'),
    },
  });
  const saving = useSaving(
    async () => {
      const body = bodyOf(form.values);
      if (limit) await changeModelLimit({ path: { limit_id: limit.id }, body, throwOnError: true });
      else await createModelLimit({ body, throwOnError: true });
    },
    { onSaved, onClose },
  );
  const money = form.values.measure === 'money';
  const subjects = [
    ['user_id', 'user'],
    ['api_key_id', 'api_key'],
    ['application_id', 'application'],
    ['model_id', 'model'],
  ] as const;
  return (
    <form onSubmit={form.onSubmit(() => saving.mutate())}>
      <Stack>
        <TextInput
          label={t('common.name')}
          description={t('usage.limitNameHint')}
          maxLength={200}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Group grow align="flex-start">
          <NumberInput
            label={t('usage.amount')}
            min={0}
            allowDecimal={money}
            thousandSeparator={t('usage.thousands')}
            {...form.getInputProps('amount')}
          />
          <Select
            label={t('usage.of')}
            allowDeselect={false}
            data={measures.map((value) => ({ value, label: t(`usage.limitMeasures.${value}`) }))}
            {...form.getInputProps('measure')}
          />
        </Group>
        {money && (
          <TextInput
            label={t('usage.currency')}
            description={t('usage.currencyHint')}
            maxLength={3}
            {...form.getInputProps('currency')}
          />
        )}
        <Group grow align="flex-end">
          <Select
            label={t('usage.windowLabel')}
            allowDeselect={false}
            data={windows.map((value) => ({ value, label: t(`usage.windows.${value}`) }))}
            {...form.getInputProps('window')}
          />
          {form.values.window === 'other' && (
            <NumberInput label={t('usage.seconds')} min={1} {...form.getInputProps('seconds')} />
          )}
        </Group>
        <Checkbox.Group label={t('usage.countApart')} {...form.getInputProps('per')}>
          <Group gap="md" mt={6}>
            {dimensions.map((value) => (
              <Checkbox key={value} value={value} label={t(`usage.each.${value}`)} />
            ))}
          </Group>
        </Checkbox.Group>
        {subjects.map(([field, kind]) => (
          <Select
            key={field}
            label={t(`usage.only.${kind}`)}
            placeholder={t('usage.any')}
            clearable
            searchable
            clearButtonProps={{ 'aria-label': t('common.clear') }}
            data={named[kind]}
            {...form.getInputProps(field)}
          />
        ))}
        <Select
          label={t('usage.only.path')}
          placeholder={t('usage.any')}
          clearable
          clearButtonProps={{ 'aria-label': t('common.clear') }}
          data={paths.map((value) => ({ value, label: t(`usage.paths.${value}`) }))}
          {...form.getInputProps('path')}
        />
        <Switch
          label={t('usage.hard')}
          description={t('usage.hardHint')}
          {...form.getInputProps('is_hard', { type: 'checkbox' })}
        />
        <Switch label={t('usage.active')} {...form.getInputProps('is_active', { type: 'checkbox' })} />
        <FormEnd saving={saving} onClose={onClose} />
      </Stack>
    </form>
  );
}
