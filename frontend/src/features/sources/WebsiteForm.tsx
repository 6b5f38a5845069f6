/** A web site to be read: where it begins, how far it goes, how often it is read again. */
import {
  Accordion,
  Button,
  Group,
  NumberInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { createSource, updateSource } from '../../api/generated/sdk.gen';
import type { KnowledgeBaseView, SourceView } from '../../api/generated/types.gen';
import { SideSheet } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { bodyOf, intervals, valuesOf } from './websiteValues';

interface Props {
  base?: KnowledgeBaseView;
  source?: SourceView;
  opened: boolean;
  onClose: () => void;
  onDone: () => unknown;
}

export function WebsiteForm(props: Props) {
  const { t } = useTranslation();
  return (
    <SideSheet
      opened={props.opened}
      onClose={props.onClose}
      size="md"
      title={props.source ? t('sources.editWebsite') : t('sources.addWebsite')}
    >
      {props.opened && <Form {...props} />}
    </SideSheet>
  );
}

function Form({ base, source, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: valuesOf(source),
    validate: { url: (value) => (/^https?:\/\/\S+$/.test(value.trim()) ? null : t('sources.wholeAddress')) },
  });
  const save = useMutation({
    mutationFn: (values: typeof form.values) => {
      const { name, config, interval_hours } = bodyOf(values);
      return source
        ? updateSource({
            path: { source_id: source.id },
            body: { config, interval_hours, ...(name ? { name } : {}) },
            throwOnError: true,
          })
        : createSource({
            path: { knowledge_base_id: base?.id ?? '' },
            body: { kind: 'website', config, interval_hours, ...(name ? { name } : {}) },
            throwOnError: true,
          });
    },
    onSuccess: async () => {
      await onDone();
      onClose();
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack>
        <TextInput
          label={t('sources.url')}
          description={t('sources.urlHint')}
          placeholder={t('sources.urlExample')}
          data-autofocus
          maxLength={2000}
          {...form.getInputProps('url')}
        />
        <TextInput
          label={t('common.name')}
          placeholder={t('common.optional')}
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <Select
          label={t('sources.scope')}
          data={(['path', 'host'] as const).map((value) => ({ value, label: t(`sources.scopes.${value}`) }))}
          {...form.getInputProps('scope')}
        />
        <Group grow>
          <NumberInput
            label={t('sources.depth')}
            min={0}
            max={50}
            allowDecimal={false}
            {...form.getInputProps('depth')}
          />
          <NumberInput
            label={t('sources.maxPages')}
            min={1}
            max={50_000}
            allowDecimal={false}
            thousandSeparator=","
            {...form.getInputProps('max_pages')}
          />
        </Group>
        <Select
          label={t('sources.schedule')}
          data={intervals.map((value) => ({ value, label: t(`sources.schedules.${value}`) }))}
          {...form.getInputProps('interval')}
        />
        <Accordion variant="separated">
          <Accordion.Item value="more">
            <Accordion.Control>{t('sources.more')}</Accordion.Control>
            <Accordion.Panel>
              <Stack>
                <TextInput
                  label={t('sources.selector')}
                  description={t('sources.selectorHint')}
                  placeholder={t('sources.selectorExample')}
                  maxLength={500}
                  {...form.getInputProps('selector')}
                />
                <TagsInput
                  label={t('sources.include')}
                  description={t('sources.patternHint')}
                  placeholder={t('sources.includeExample')}
                  maxTags={50}
                  {...form.getInputProps('include')}
                />
                <TagsInput
                  label={t('sources.exclude')}
                  placeholder={t('sources.excludeExample')}
                  maxTags={50}
                  {...form.getInputProps('exclude')}
                />
                <Switch
                  label={t('sources.useSitemap')}
                  {...form.getInputProps('use_sitemap', { type: 'checkbox' })}
                />
                <Switch
                  label={t('sources.includeFiles')}
                  {...form.getInputProps('include_files', { type: 'checkbox' })}
                />
                <Switch
                  label={t('sources.followCanonical')}
                  {...form.getInputProps('follow_canonical', { type: 'checkbox' })}
                />
                <Group grow>
                  <NumberInput
                    label={t('sources.concurrency')}
                    min={1}
                    max={8}
                    allowDecimal={false}
                    {...form.getInputProps('concurrency')}
                  />
                  <NumberInput
                    label={t('sources.delay')}
                    min={0}
                    max={60_000}
                    step={100}
                    allowDecimal={false}
                    {...form.getInputProps('delay_ms')}
                  />
                </Group>
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        {save.error && <Problem error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {source ? t('common.save') : t('sources.addAndRead')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
