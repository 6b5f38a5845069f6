import { ProblemError } from '../api/problem';
import { useProblemWords } from './useProblemText';

interface SearchWarning {
  code: string;
  message: string;
}

/** What of a search could not be done, and why: "what: why [code of why]" as the server says it. */
const withCause = /^(.+?): (.+) \[([\w-]+)\]$/s;

/** A warning of a search in the reader's language, with the error behind it where one is named. */
export function useSearchWarningText(): (warning: SearchWarning) => string {
  const wordsOf = useProblemWords();
  const say = (code: string, detail: string) => wordsOf(new ProblemError(0, { code, detail })).message;
  return ({ code, message }) => {
    const [, what, why, cause] = withCause.exec(message) ?? [];
    if (!what || !why || !cause) return say(code, message);
    return `${say(code, `${what}.`)} ${say(cause, why)}`;
  };
}
