/** Making tools of an OpenAPI document: it is read first, then operations are chosen. */
import { Button, FileButton, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { createToolInterface, readOpenApiDocument } from '../../../api/generated/sdk.gen';
import type { InterfaceDocumentView } from '../../../api/generated/types.gen';
import { SideSheet } from '../../../components/Dialog';
import { Problem } from '../../../components/Problem';
import classes from '../Tools.module.css';
import { InterfaceFields } from './InterfaceFields';
import { interfaceDraftOf, valuesOfDocument } from './interfaceValues';

interface Props {
  opened: boolean;
  onClose: () => void;
  onDone: () => unknown;
}

type Source = { document: string } | { document_url: string };

export function NewInterface(props: Props) {
  const { t } = useTranslation();
  return (
    <SideSheet opened={props.opened} onClose={props.onClose} size={640} title={t('storedTools.http.add')}>
      {props.opened && <Steps {...props} />}
    </SideSheet>
  );
}

function Steps({ onClose, onDone }: Props) {
  const [read, setRead] = useState<{ source: Source; document: InterfaceDocumentView } | null>(null);
  if (read === null) return <ReadDocument onRead={(source, document) => setRead({ source, document })} />;
  return (
    <InterfaceFields
      initial={valuesOfDocument(read.document)}
      operations={read.document.operations}
      kept={[]}
      isNew
      onBack={() => setRead(null)}
      onSave={async (values) => {
        await createToolInterface({
          body: { ...interfaceDraftOf(values), ...read.source },
          throwOnError: true,
        });
        onClose();
        await onDone();
      }}
    />
  );
}

function ReadDocument({ onRead }: { onRead: (source: Source, document: InterfaceDocumentView) => void }) {
  const { t } = useTranslation();
  const [url, setUrl] = useState('');
  const [text, setText] = useState('');
  const read = useMutation({
    mutationFn: async (source: Source) => ({
      source,
      document: (await readOpenApiDocument({ body: source, throwOnError: true })).data,
    }),
    onSuccess: ({ source, document }) => onRead(source, document),
  });
  const source: Source | null = url.trim()
    ? { document_url: url.trim() }
    : text.trim()
      ? { document: text }
      : null;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (source) read.mutate(source);
      }}
    >
      <Stack>
        <Text size="sm">{t('storedTools.http.readText')}</Text>
        <TextInput
          label={t('storedTools.http.documentUrl')}
          type="url"
          placeholder={t('storedTools.http.documentExample')}
          data-autofocus
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <Textarea
          label={t('storedTools.http.documentText')}
          autosize
          minRows={6}
          maxRows={16}
          spellCheck={false}
          classNames={{ input: classes.code }}
          disabled={url.trim() !== ''}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {read.error && <Problem error={read.error} />}
        <Group justify="space-between">
          <FileButton
            accept=".json,.yaml,.yml,application/json"
            onChange={async (file) => {
              if (!file) return;
              setUrl('');
              setText(await file.text());
            }}
          >
            {(props) => (
              <Button {...props} variant="default" leftSection={<IconFileUpload size={16} />}>
                {t('storedTools.http.file')}
              </Button>
            )}
          </FileButton>
          <Button type="submit" disabled={source === null} loading={read.isPending}>
            {t('storedTools.http.read')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
