import { Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { changeModelPrice, createModelPrice } from '../../api/generated/sdk.gen';
import type { PriceView } from '../../api/generated/types.gen';
import { type EditingProps, EditingSheet, FormEnd, useSaving } from './EditingSheet';
import { useSubjects } from './useSubjects';

const numbers = [
  'input_per_million',
  'cached_per_million',
  'output_per_million',
  'per_unit',
  'per_call',
] as const;

export function PriceForm({ editing, onClose, onSaved }: EditingProps<PriceView>) {
  const { t } = useTranslation();
  const titles = { new: t('usage.newPrice'), edit: t('usage.editPrice') };
  return (
    <EditingSheet editing={editing} titles={titles} onClose={onClose}>
      {(price) => <Form price={price} onClose={onClose} onSaved={onSaved} />}
    </EditingSheet>
  );
}

interface FormProps extends Omit<EditingProps<PriceView>, 'editing'> {
  price: PriceView | null;
}

function Form({ price, onClose, onSaved }: FormProps) {
  const { t } = useTranslation();
  const { named } = useSubjects();
  const form = useForm({
    initialValues: {
      model_id: price?.model_id ?? null,
      valid_from: price?.valid_from ?? new Date().toISOString().slice(0, 10),
      currency: price?.currency ?? 'USD',
      input_per_million: (price?.input_per_million ?? 0) as number | string,
      cached_per_million: (price?.cached_per_million ?? '') as number | string,
      output_per_million: (price?.output_per_million ?? 0) as number | string,
      per_unit: (price?.per_unit ?? 0) as number | string,
      per_call: (price?.per_call ?? 0) as number | string,
    },
    validate: {
      model_id: (value) => (value ? null : t('setup.needed')),
      valid_from: (value) => (value ? null : t('setup.needed')),
      currency: (value) => (/^[A-Z]{3}$/.test(value) ? null : t('usage.currencyHint')),
    },
  });
  const saving = useSaving(
    async () => {
      const values = form.values;
      const body = {
        model_id: values.model_id ?? '',
        valid_from: values.valid_from,
        currency: values.currency,
        input_per_million: Number(values.input_per_million),
        cached_per_million: values.cached_per_million === '' ? null : Number(values.cached_per_million),
        output_per_million: Number(values.output_per_million),
        per_unit: Number(values.per_unit),
        per_call: Number(values.per_call),
      };
      if (price) await changeModelPrice({ path: { price_id: price.id }, body, throwOnError: true });
      else await createModelPrice({ body, throwOnError: true });
    },
    { onSaved, onClose },
  );
  return (
    <form onSubmit={form.onSubmit(() => saving.mutate())}>
      <Stack>
        <Select
          label={t('usage.groupings.model')}
          searchable
          data={named.model}
          data-autofocus
          {...form.getInputProps('model_id')}
        />
        <Group grow align="flex-start">
          <TextInput type="date" label={t('usage.validFrom')} {...form.getInputProps('valid_from')} />
          <TextInput label={t('usage.currency')} maxLength={3} {...form.getInputProps('currency')} />
        </Group>
        <Text size="sm" c="dimmed">
          {t('usage.perMillionHint')}
        </Text>
        {numbers.map((field) => (
          <NumberInput
            key={field}
            label={t(`usage.priceFields.${field}`)}
            min={0}
            decimalScale={6}
            {...form.getInputProps(field)}
          />
        ))}
        <FormEnd saving={saving} onClose={onClose} />
      </Stack>
    </form>
  );
}
