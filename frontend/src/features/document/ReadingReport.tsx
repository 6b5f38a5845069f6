/** What became of the file's text, in words. */
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { DocumentView } from '../../api/generated/types.gen';
import { formatPercent } from '../../i18n/format';
import { DocumentWarnings } from './DocumentWarnings';

interface Props {
  document: DocumentView;
  withWarnings?: boolean;
}

export function ReadingReport({ document, withWarnings = true }: Props) {
  const { t } = useTranslation();
  const { extracted_chars, kept_chars, removed_chars, ocr_pages, coverage } = document;
  const { files_read, files_left_out } = document;
  const sentences: string[] = [];
  if (extracted_chars !== null && kept_chars !== null && coverage !== null) {
    sentences.push(
      t('details.found', { count: extracted_chars }),
      t('details.kept', { count: kept_chars, share: formatPercent(coverage, 1) }),
    );
    if (removed_chars) sentences.push(t('details.removed', { count: removed_chars }));
    const navigation = Number(document.found_meta.navigation_chars ?? 0);
    if (navigation > 0) sentences.push(t('details.navigation', { count: navigation }));
    if (files_read) sentences.push(t('details.filesRead', { count: files_read }));
    if (files_left_out) sentences.push(t('details.filesLeftOut', { count: files_left_out }));
    sentences.push(ocr_pages ? t('details.ocr', { count: ocr_pages }) : t('details.noOcr'));
  } else {
    sentences.push(document.has_file ? t('details.noReport') : t('details.noFile'));
  }
  return (
    <div>
      {sentences.map((sentence) => (
        <Text size="sm" key={sentence}>
          {sentence}
        </Text>
      ))}
      {withWarnings && document.warnings.length > 0 && <DocumentWarnings document={document} />}
    </div>
  );
}
