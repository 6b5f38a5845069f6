import { useTranslation } from 'react-i18next';
import { asProblem } from '../api/problem';
import type problems from '../locales/en/problems.json';

type KnownCode = keyof typeof problems;

/** An error in the reader's language where the code is known, in the server's words otherwise. */
export function useProblemText(error: unknown) {
  const { t, i18n } = useTranslation();
  const problem = asProblem(error);
  const key = `problems.${problem.code}` as `problems.${KnownCode}`;
  const known = i18n.exists(key);
  return {
    message: known ? t(key) : problem.message || t('problems.unknown'),
    hint: i18n.language === 'zh' && known ? null : problem.hint,
    code: problem.code,
    requestId: problem.requestId,
  };
}
