import { useTranslation } from 'react-i18next';
import { asProblem } from '../api/problem';
import { useWordFor } from '../i18n/useWordFor';

/** Turns an error into the reader's language where its code is known, into the server's words otherwise. */
export function useProblemWords() {
  const { t, i18n } = useTranslation();
  const wordFor = useWordFor('problems');
  return (error: unknown) => {
    const problem = asProblem(error);
    const known = wordFor(problem.code);
    return {
      message: known ?? (problem.message || t('problems.unknown')),
      // A hint in English below a Chinese message helps nobody who needed the Chinese one.
      hint: i18n.language === 'zh' && known ? null : problem.hint,
      code: problem.code,
      requestId: problem.requestId,
    };
  };
}

export function useProblemText(error: unknown) {
  return useProblemWords()(error);
}
