/** Models from a file of descriptors, or one that is filled from what a vendor's list tells of it. */
import { Button, Divider, FileInput, Select, Stack, Switch, TextInput } from '@mantine/core';
import { IconFileCode, IconWand } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  listModelPresetsOptions,
  listModelsQueryKey,
} from '../../../api/generated/@tanstack/react-query.gen';
import {
  checkModelDescriptors,
  draftModelDescriptor,
  importModelDescriptors,
} from '../../../api/generated/sdk.gen';
import { SideSheet } from '../../../components/Dialog';
import { Problem } from '../../../components/Problem';
import { useNotify } from '../../../components/useNotify';
import { type Kind, kinds } from '../kinds';
import { useVendorName } from '../useVendorName';
import { DescriptorText } from './DescriptorText';

export function DescriptorImport({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <SideSheet opened={opened} onClose={onClose} size={640} title={t('models.yaml.importTitle')}>
      {opened && <Import onClose={onClose} />}
    </SideSheet>
  );
}

function Import({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { done } = useNotify();
  const client = useQueryClient();
  const [text, setText] = useState('');
  const [replace, setReplace] = useState(false);
  const read = async (file: File | null) => setText(file ? await file.text() : '');
  return (
    <Stack>
      <FileInput
        label={t('models.yaml.file')}
        placeholder={t('models.yaml.chooseFile')}
        leftSection={<IconFileCode size={17} />}
        accept=".yaml,.yml,.json"
        clearable
        onChange={read}
      />
      <Divider label={t('models.yaml.orFromList')} />
      <Wizard onText={setText} />
      <Divider />
      <Switch
        label={t('models.yaml.replace')}
        checked={replace}
        onChange={(event) => setReplace(event.currentTarget.checked)}
      />
      <DescriptorText
        text={text}
        onText={setText}
        checkKey={['import', replace]}
        check={async (yaml) =>
          (await checkModelDescriptors({ body: { yaml, replace }, throwOnError: true })).data
        }
        save={(yaml) => importModelDescriptors({ body: { yaml, replace }, throwOnError: true })}
        onSaved={() => {
          client.invalidateQueries({ queryKey: [{ _id: listModelsQueryKey()[0]._id }] });
          done(t('models.yaml.saved'));
          onClose();
        }}
        saveLabel={t('models.yaml.take')}
        onCancel={onClose}
      />
    </Stack>
  );
}

function Wizard({ onText }: { onText: (text: string) => void }) {
  const { t } = useTranslation();
  const nameOf = useVendorName();
  const vendors = useQuery(listModelPresetsOptions()).data?.items ?? [];
  const [provider, setProvider] = useState<string | null>(null);
  const [kind, setKind] = useState<Kind>('LLM');
  const [url, setUrl] = useState('');
  const [key, setKey] = useState('');
  const [name, setName] = useState('');
  const chosen = vendors.find((one) => one.id === provider);
  const fill = useMutation({
    mutationFn: async () =>
      (
        await draftModelDescriptor({
          body: {
            provider: provider ?? undefined,
            base_url: url.trim() || null,
            api_key: key.trim() || null,
            kind,
            model_name: name.trim(),
          },
          throwOnError: true,
        })
      ).data.yaml,
    onSuccess: onText,
  });
  return (
    <Stack gap="xs">
      <Select
        label={t('models.yaml.vendor')}
        searchable
        data={vendors.map((one) => ({ value: one.id, label: nameOf(one) }))}
        value={provider}
        onChange={setProvider}
      />
      <Select
        label={t('models.kind')}
        allowDeselect={false}
        data={(chosen?.kinds ?? kinds).map((one) => ({ value: one, label: t(`models.kinds.${one}`) }))}
        value={kind}
        onChange={(value) => value && setKind(value as Kind)}
      />
      <TextInput
        label={t('models.baseUrl')}
        placeholder={chosen?.base_url}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <TextInput
        label={t('models.apiKey')}
        description={t('models.yaml.keyForList')}
        type="password"
        autoComplete="off"
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <TextInput
        label={t('models.modelName')}
        description={t('models.modelNameHint')}
        placeholder={chosen?.example_models[kind]}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {fill.error && <Problem error={fill.error} />}
      <Button
        variant="light"
        leftSection={<IconWand size={17} />}
        loading={fill.isPending}
        disabled={!provider || name.trim() === ''}
        onClick={() => fill.mutate()}
      >
        {t('models.yaml.fill')}
      </Button>
    </Stack>
  );
}
