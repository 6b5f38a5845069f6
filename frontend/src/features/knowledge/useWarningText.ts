import { useTranslation } from 'react-i18next';
import type { DocumentWarning } from '../../api/generated/types.gen';
import { ProblemError } from '../../api/problem';
import { useProblemWords } from '../../components/useProblemText';
import { useWordFor } from '../../i18n/useWordFor';

/** A parser's warning with its page, as one sentence. */
export function useWarningText() {
  const { t } = useTranslation();
  const wordFor = useWordFor('warnings');
  const wordsOf = useProblemWords();
  /** What happened, and to which file inside the file; the server's words where the catalogue has none. */
  const inWords = ({ code, message, details = {} }: DocumentWarning) => {
    const word = wordFor(code, details);
    if (word === null || details.name === undefined) return word ?? message;
    const cause =
      details.cause && wordsOf(new ProblemError(0, { code: details.cause, detail: word })).message;
    return t('common.ofFile', { name: details.name, text: cause || word });
  };
  return (warning: DocumentWarning) => {
    const message = inWords(warning);
    return warning.page ? `${t('common.page', { page: warning.page })}: ${message}` : message;
  };
}
