import { useTranslation } from 'react-i18next';
import { asProblem, type ProblemError } from '../api/problem';
import { currentLanguage } from '../i18n';
import { formatBytes, formatNumber } from '../i18n/format';
import { problemSentence } from '../i18n/problemSentence';
import { useWordFor } from '../i18n/useWordFor';

/**
 * Turns an error into the reader's language with its facts (names, sizes, limits) and what helps. The server's
 * own words, which are English, stand where the catalogue has none, or has only what they say better.
 */
export function useProblemWords() {
  const { t, i18n } = useTranslation();
  const roleName = useWordFor('settings.roles');
  const kindName = useWordFor('models.kinds');

  /** A fact as people write it; null where there is none that could be shown. */
  const factOf = (problem: ProblemError) => (name: string) => {
    if (name === 'message') return problem.message || null;
    if (name === 'hint') return problem.hint;
    const value = problem.details[name];
    if (typeof value === 'number') return name.endsWith('_bytes') ? formatBytes(value) : formatNumber(value);
    if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(t('common.comma')) : null;
    if (typeof value !== 'string' || value === '') return null;
    if (name === 'needed_role') return roleName(value);
    if (name === 'needed' || name === 'found') return kindName(value);
    return value;
  };

  return (error: unknown) => {
    const problem = asProblem(error);
    const inCatalogue = (section: string): unknown =>
      i18n.getResource(currentLanguage(), 'translation', `${section}.${problem.code}`);
    const template = inCatalogue('problems');
    const sentence = typeof template === 'string' ? problemSentence(template, factOf(problem)) : null;
    // A sentence about facts says without them less than the server does, but says it in Chinese.
    const isBetter =
      sentence && (currentLanguage() === 'zh' || sentence.facts > 0 || !String(template).includes('['));
    const message = (isBetter ? sentence.text : problem.message || sentence?.text) || t('problems.unknown');
    const known = inCatalogue('problemHints');
    // A hint in English below a Chinese message helps nobody who needed the Chinese one.
    const hint =
      typeof known === 'string' ? known : currentLanguage() === 'zh' && sentence ? null : problem.hint;
    return {
      message,
      hint,
      /** Both as one text, for where there is one place only. */
      text: hint ? `${message}${currentLanguage() === 'zh' ? '' : ' '}${hint}` : message,
      code: problem.code,
      requestId: problem.requestId,
    };
  };
}

export function useProblemText(error: unknown) {
  return useProblemWords()(error);
}
