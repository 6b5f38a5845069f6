/** What the vendor calls the model: from its own list where it gives one, else from the catalogue's examples. */
import { Autocomplete, defaultOptionsFilter } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listRemoteModels } from '../../api/generated/sdk.gen';
import type { Offering, Preset } from '../../api/generated/types.gen';
import type { ModelValues } from './ModelForm';

interface Props {
  form: UseFormReturnType<ModelValues>;
  vendor: Preset | null;
  offer: Offering | undefined;
}

export function ModelNameField({ form, vendor, offer }: Props) {
  const { t } = useTranslation();
  const { base_url, api_key } = form.values;
  const remote = useMutation({
    mutationFn: async () => {
      const body = {
        ...(vendor ? { provider: vendor.id } : {}),
        base_url: base_url.trim(),
        api_key: api_key.trim() || null,
      };
      return (await listRemoteModels({ body, throwOnError: true })).data.names;
    },
  });
  const examples = offer?.models ?? [];
  const others = (remote.data ?? []).filter((name) => !examples.includes(name));
  const mayAsk =
    (vendor?.lists_models ?? true) &&
    /^https?:\/\/.+/.test(base_url.trim()) &&
    (Boolean(api_key) || vendor?.needs_key === false);
  return (
    <Autocomplete
      label={t('models.modelName')}
      description={t('models.modelNameHint')}
      data={[
        ...(examples.length > 0 ? [{ group: t('models.examples'), items: examples }] : []),
        ...(others.length > 0 ? [{ group: t('models.fromVendor'), items: others }] : []),
      ]}
      // A name that was chosen, or stood there from the beginning, is no search: all others are offered.
      filter={(given) =>
        examples.includes(given.search) || others.includes(given.search)
          ? given.options
          : (defaultOptionsFilter(given) as typeof given.options)
      }
      limit={100}
      maxDropdownHeight={280}
      onFocus={() => {
        if (mayAsk && !remote.isPending && !remote.data) remote.mutate();
      }}
      {...form.getInputProps('model_name')}
    />
  );
}
