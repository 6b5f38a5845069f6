/** Terms from a CSV file: first what it would bring, line by line, then the import. */
import { Button, Code, FileInput, Group, List, Stack, Text } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { importTerms } from '../../api/generated/sdk.gen';
import type { KnowledgeBaseView, RefusedLine, TermImport } from '../../api/generated/types.gen';
import { ProblemError } from '../../api/problem';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';
import { useProblemWords } from '../../components/useProblemText';
import { formatNumber } from '../../i18n/format';

/** Refused lines and words that are shown. */
const shownLines = 20;
const shownWords = 12;

interface Props {
  base: KnowledgeBaseView;
  opened: boolean;
  onClose: () => void;
  onImported: () => unknown;
}

export function TermImportDialog({ base, opened, onClose, onImported }: Props) {
  const { t } = useTranslation();
  const { done } = useNotify();
  const [file, setFile] = useState<File | null>(null);
  const send = (dryRun: boolean) => async (chosen: File) => {
    const { data } = await importTerms({
      path: { knowledge_base_id: base.id },
      query: { dry_run: dryRun },
      body: chosen,
      throwOnError: true,
    });
    return data;
  };
  const look = useMutation({ mutationFn: send(true) });
  const take = useMutation({
    mutationFn: send(false),
    onSuccess: (result) => {
      done(t('terms.imported', { count: result.new + result.changed }));
      close();
    },
    onSettled: onImported,
  });
  const close = () => {
    setFile(null);
    look.reset();
    take.reset();
    onClose();
  };
  const choose = (chosen: File | null) => {
    setFile(chosen);
    take.reset();
    if (chosen) look.mutate(chosen);
    else look.reset();
  };
  const plan = look.data;
  const brings = plan ? plan.new + plan.changed : 0;
  return (
    <Dialog opened={opened} onClose={close} title={t('terms.importTitle')}>
      <Stack>
        <Text size="sm">{t('terms.importText')}</Text>
        <List size="sm" spacing={4}>
          {(['word', 'synonyms'] as const).map((column) => (
            <List.Item key={column}>
              <Code>{column}</Code> {t(`terms.columns.${column}`)}
            </List.Item>
          ))}
        </List>
        <FileInput
          label={t('terms.file')}
          placeholder={t('terms.choose')}
          leftSection={<IconFileSpreadsheet size={17} />}
          accept=".csv,.tsv,.txt"
          clearable
          value={file}
          onChange={choose}
        />
        {look.isPending && <Text size="sm">{t('common.loading')}</Text>}
        {plan && <Plan plan={plan} />}
        {(look.error ?? take.error) && <Problem error={look.error ?? take.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button
            loading={take.isPending}
            disabled={!file || brings === 0}
            onClick={() => file && take.mutate(file)}
          >
            {t('terms.take', { count: brings })}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Plan({ plan }: { plan: TermImport }) {
  const { t } = useTranslation();
  const wordsOf = useProblemWords();
  const whyRefused = ({ code, message, details }: RefusedLine) =>
    wordsOf(new ProblemError(422, { code, detail: message, details })).message;
  const words = [...plan.new_words, ...plan.changed_words].slice(0, shownWords);
  return (
    <Stack gap="xs" role="status">
      <Text size="sm" fw={600}>
        {t('terms.plan', {
          added: formatNumber(plan.new),
          changed: formatNumber(plan.changed),
          unchanged: formatNumber(plan.unchanged),
        })}
      </Text>
      {words.length > 0 && (
        <Text size="sm" c="dimmed">
          {words.join(t('common.comma'))}
          {plan.new + plan.changed > words.length && ' …'}
        </Text>
      )}
      {plan.refused > 0 && (
        <>
          <Text size="sm" fw={600}>
            {t('terms.refused', { count: plan.refused })}
          </Text>
          <List size="xs" spacing={2}>
            {plan.refused_lines.slice(0, shownLines).map((line) => (
              <List.Item key={line.line}>
                {t('terms.refusedLine', { line: line.line, word: line.word, message: whyRefused(line) })}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Stack>
  );
}
