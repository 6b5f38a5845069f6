/** Metadata to read and edit: known keys with the field they need, others as text, and keys of one's own. */
import { ActionIcon, Button, Group, Stack, TagsInput, Text, TextInput, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getDocumentQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { updateDocument } from '../../api/generated/sdk.gen';
import type { DocumentView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';
import {
  asDay,
  asText,
  isKnown,
  isPlain,
  type KnownKey,
  knownKeys,
  ownMeta,
  typed,
  type Value,
  withValue,
} from './metadata';

export function MetadataEditor({ document }: { document: DocumentView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const client = useQueryClient();
  const { done } = useNotify();
  const found = document.found_meta;
  const [own, setOwn] = useState<Record<string, Value>>(() => ownMeta(document));
  const [extra, setExtra] = useState<string[]>([]);
  const [newKey, setNewKey] = useState('');
  const path = { document_id: document.id };
  const save = useMutation({
    mutationFn: async () => (await updateDocument({ path, body: { meta: own }, throwOnError: true })).data,
    onSuccess: (view) => {
      client.setQueryData(getDocumentQueryKey({ path }), view);
      done(t('common.saved'));
    },
  });
  const dirty = JSON.stringify(own) !== JSON.stringify(ownMeta(document));
  const listed = [
    ...Object.keys(knownKeys),
    ...[...new Set([...Object.keys(found), ...Object.keys(own)])].filter((key) => !isKnown(key)).sort(),
    ...extra,
  ];
  const keys = [...new Set(listed)];
  const set = (key: string, value: Value) => setOwn((known) => withValue(known, key, value, found));
  const reset = (key: string) =>
    setOwn((known) => Object.fromEntries(Object.entries(known).filter(([name]) => name !== key)));
  const name = newKey.trim();
  return (
    <Stack gap="sm">
      {keys.map((key) => (
        <Field
          key={key}
          name={key}
          value={key in own ? own[key] : found[key]}
          found={found[key]}
          isOwn={key in own}
          disabled={!mayWrite}
          onChange={(value) => set(key, value)}
          onReset={() => reset(key)}
        />
      ))}
      {mayWrite && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (name && !keys.includes(name)) setExtra((known) => [...known, name]);
            setNewKey('');
          }}
        >
          <Group gap="xs" align="flex-end">
            <TextInput
              flex={1}
              size="xs"
              label={t('details.newKey')}
              maxLength={100}
              value={newKey}
              onChange={(event) => setNewKey(event.currentTarget.value)}
            />
            <Button
              size="xs"
              type="submit"
              variant="default"
              leftSection={<IconPlus size={14} />}
              disabled={!name}
            >
              {t('details.addKey')}
            </Button>
          </Group>
        </form>
      )}
      {save.error && <Problem error={save.error} />}
      {mayWrite && (
        <Group justify="flex-end">
          <Button loading={save.isPending} disabled={!dirty} onClick={() => save.mutate()}>
            {t('common.save')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

interface FieldProps {
  name: string;
  value: Value;
  found: Value;
  isOwn: boolean;
  disabled: boolean;
  onChange: (value: Value) => void;
  onReset: () => void;
}

function Field({ name, value, found, isOwn, disabled, onChange, onReset }: FieldProps) {
  const { t } = useTranslation();
  const label = isKnown(name) ? t(`details.keys.${name as KnownKey}`) : name;
  const kind = isKnown(name) ? knownKeys[name] : 'text';
  const fileSays = isOwn && found !== undefined ? t('details.fileSays', { value: asText(found) }) : undefined;
  if (kind === 'text' && value !== undefined && !isPlain(value)) {
    return (
      <div>
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <Text size="xs" c="dimmed" lineClamp={4}>
          {asText(value)}
        </Text>
      </div>
    );
  }
  const shared = { label, size: 'xs' as const, disabled, description: fileSays };
  const back =
    isOwn && !disabled ? (
      <Tooltip label={t('details.reset')}>
        <ActionIcon size="sm" aria-label={t('details.resetKey', { name: label })} onClick={onReset}>
          <IconArrowBackUp size={14} />
        </ActionIcon>
      </Tooltip>
    ) : undefined;
  if (kind === 'tags') {
    const tags = Array.isArray(value) ? value.map(asText) : value ? [asText(value)] : [];
    return <TagsInput {...shared} value={tags} onChange={onChange} rightSection={back} />;
  }
  if (kind === 'date') {
    return (
      <TextInput
        {...shared}
        type="date"
        value={asDay(value)}
        onChange={(event) => onChange(event.currentTarget.value)}
        rightSection={back}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      value={asText(value)}
      maxLength={2000}
      onChange={(event) => onChange(typed(event.currentTarget.value, found))}
      rightSection={back}
    />
  );
}
