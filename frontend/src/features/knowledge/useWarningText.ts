import { useTranslation } from 'react-i18next';
import type { DocumentWarning } from '../../api/generated/types.gen';
import { useWordFor } from '../../i18n/useWordFor';

/** A parser's warning with its page, as one sentence. */
export function useWarningText() {
  const { t } = useTranslation();
  const wordFor = useWordFor('warnings');
  return (warning: DocumentWarning) => {
    const message = wordFor(warning.code) ?? warning.message;
    return warning.page ? `${t('common.page', { page: warning.page })}: ${message}` : message;
  };
}
