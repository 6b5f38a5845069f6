import { useTranslation } from 'react-i18next';
import type { DocumentWarning } from '../../api/generated/types.gen';

/** A parser's warning with its page, as one sentence. */
export function useWarningText() {
  const { t } = useTranslation();
  return (warning: DocumentWarning) =>
    warning.page ? `${t('common.page', { page: warning.page })}: ${warning.message}` : warning.message;
}
