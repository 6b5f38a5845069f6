/** Where a vendor's server is, and the key to it. */
import { PasswordInput, Select, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { ModelView, Preset } from '../../api/generated/types.gen';
import { currentLanguage } from '../../i18n';
import type { ModelValues } from './ModelForm';

interface Props {
  form: UseFormReturnType<ModelValues>;
  vendor: Preset | null;
  model: ModelView | null;
}

export function ConnectionFields({ form, vendor, model }: Props) {
  const { t } = useTranslation();
  const regions = Object.entries(vendor?.regions ?? {});
  const region = regions.find(([, address]) => address === form.values.base_url)?.[0] ?? null;
  const keyHint = () => {
    if (model?.credential_hint) return t('models.keyKept', { key: model.credential_hint });
    if (vendor?.key_format) return t('models.keyFormat', { format: vendor.key_format });
    return t(vendor && !vendor.needs_key ? 'models.keyNotNeeded' : 'models.keyHint');
  };
  return (
    <>
      {regions.length > 1 && (
        <Select
          label={t('models.region')}
          allowDeselect={false}
          data={regions.map(([name]) => ({
            value: name,
            label: name === 'cn' || name === 'intl' ? t(`models.regions.${name}`) : name,
          }))}
          value={region}
          onChange={(name) => {
            if (name) form.setFieldValue('base_url', vendor?.regions[name] ?? '');
          }}
        />
      )}
      {vendor?.note && (
        <Text size="sm" c="dimmed">
          {vendor.note[currentLanguage() === 'zh' ? 'zh' : 'en']}
        </Text>
      )}
      <TextInput
        label={t('models.baseUrl')}
        description={
          vendor?.base_url
            ? null
            : t(form.values.kind === 'RERANKER' ? 'models.rerankUrlHint' : 'models.baseUrlHint')
        }
        inputMode="url"
        {...form.getInputProps('base_url')}
      />
      <PasswordInput
        label={t('models.apiKey')}
        description={keyHint()}
        autoComplete="off"
        {...form.getInputProps('api_key')}
      />
    </>
  );
}
