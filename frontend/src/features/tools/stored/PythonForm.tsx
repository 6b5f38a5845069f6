/** Writing a Python tool: its code with what it declares, its secrets, and a trial before it is saved. */
import {
  Accordion,
  Button,
  Checkbox,
  Group,
  NumberInput,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconWand } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { changeStoredTool, createPythonTool, readToolCode } from '../../../api/generated/sdk.gen';
import type { StoredToolView } from '../../../api/generated/types.gen';
import { SideSheet } from '../../../components/Dialog';
import { Problem } from '../../../components/Problem';
import classes from '../Tools.module.css';
import { EarlierVersions } from './EarlierVersions';
import { PythonTrial } from './PythonTrial';
import {
  type PythonFault,
  type PythonValues,
  pythonDraftOf,
  pythonFaultsOf,
  pythonValuesOf,
} from './pythonValues';
import { SecretRows } from './SecretRows';

interface Props {
  /** The tool to change; null: a new one. */
  tool: StoredToolView | null;
  opened: boolean;
  onClose: () => void;
  onDone: () => unknown;
}

export function PythonForm(props: Props) {
  const { t } = useTranslation();
  const title = props.tool ? t('tools.servers.edit', { name: props.tool.name }) : t('storedTools.python.add');
  return (
    <SideSheet opened={props.opened} onClose={props.onClose} size={720} title={title}>
      {props.opened && <Form {...props} />}
    </SideSheet>
  );
}

function Form({ tool, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const told = (fault: PythonFault) =>
    fault === 'needed' ? t('setup.needed') : t(`storedTools.faults.${fault}`);
  const form = useForm<PythonValues>({
    initialValues: pythonValuesOf(tool),
    validate: (values) =>
      Object.fromEntries(Object.entries(pythonFaultsOf(values)).map(([name, fault]) => [name, told(fault)])),
  });
  const read = useMutation({
    mutationFn: async () =>
      (await readToolCode({ body: { code: form.values.code }, throwOnError: true })).data,
    onSuccess: (found) => {
      form.setFieldValue('parameters', JSON.stringify(found.parameters, null, 2));
      if (!form.values.description) form.setFieldValue('description', found.description);
    },
  });
  const save = useMutation({
    mutationFn: async (values: PythonValues) => {
      const body = pythonDraftOf(values, tool);
      if (!tool) return createPythonTool({ body, throwOnError: true });
      return changeStoredTool({ path: { tool_id: tool.id }, body, throwOnError: true });
    },
    onSuccess: async () => {
      onClose();
      await onDone();
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <TextInput
          label={t('common.name')}
          description={t('storedTools.python.nameHint')}
          maxLength={64}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('storedTools.titleField')}
          description={t('storedTools.titleHint')}
          maxLength={200}
          {...form.getInputProps('title')}
        />
        <Textarea
          label={t('storedTools.descriptionField')}
          description={t('storedTools.descriptionHint')}
          autosize
          minRows={2}
          maxRows={6}
          {...form.getInputProps('description')}
        />
        <Textarea
          label={t('storedTools.python.code')}
          description={t('storedTools.python.codeHint')}
          autosize
          minRows={10}
          maxRows={28}
          required
          spellCheck={false}
          autoCapitalize="off"
          classNames={{ input: classes.code }}
          {...form.getInputProps('code')}
        />
        <div>
          <Textarea
            label={t('storedTools.python.parameters')}
            description={t('storedTools.python.parametersHint')}
            autosize
            minRows={2}
            maxRows={14}
            spellCheck={false}
            classNames={{ input: classes.code }}
            {...form.getInputProps('parameters')}
          />
          <Button
            mt="xs"
            size="xs"
            variant="default"
            leftSection={<IconWand size={14} />}
            loading={read.isPending}
            onClick={() => read.mutate()}
          >
            {t('storedTools.python.fromCode')}
          </Button>
        </div>
        {read.error && <Problem error={read.error} />}
        <SecretRows
          rows={form.values.secrets}
          error={form.errors.secrets}
          onChange={(rows) => form.setFieldValue('secrets', rows)}
        />
        <Accordion variant="separated">
          <Accordion.Item value="more">
            <Accordion.Control>{t('tools.form.more')}</Accordion.Control>
            <Accordion.Panel>
              <Stack>
                <Textarea
                  label={t('storedTools.python.defaults')}
                  description={t('storedTools.python.defaultsHint')}
                  autosize
                  minRows={2}
                  maxRows={8}
                  spellCheck={false}
                  classNames={{ input: classes.code }}
                  {...form.getInputProps('defaults')}
                />
                <Checkbox
                  label={t('storedTools.readOnly')}
                  {...form.getInputProps('readOnly', { type: 'checkbox' })}
                />
                <Checkbox
                  label={t('storedTools.askFirst')}
                  {...form.getInputProps('askFirst', { type: 'checkbox' })}
                />
                <NumberInput
                  label={t('tools.form.timeout')}
                  min={0.1}
                  max={600}
                  {...form.getInputProps('timeout')}
                />
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
          <Accordion.Item value="try">
            <Accordion.Control>{t('storedTools.python.trial')}</Accordion.Control>
            <Accordion.Panel>
              <PythonTrial values={form.values} tool={tool} />
            </Accordion.Panel>
          </Accordion.Item>
          {tool && tool.version > 1 && (
            <Accordion.Item value="versions">
              <Accordion.Control>{t('storedTools.python.versions')}</Accordion.Control>
              <Accordion.Panel>
                <EarlierVersions
                  toolId={tool.id}
                  onTake={(version) => {
                    form.setFieldValue('code', version.code);
                    form.setFieldValue('parameters', JSON.stringify(version.parameters, null, 2));
                  }}
                />
              </Accordion.Panel>
            </Accordion.Item>
          )}
        </Accordion>
        {save.error && <Problem error={save.error} />}
        <Group justify="space-between">
          <Text size="xs" c="dimmed" maw={360}>
            {t('storedTools.python.sandboxed')}
          </Text>
          <Button type="submit" loading={save.isPending}>
            {tool ? t('common.save') : t('storedTools.python.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
