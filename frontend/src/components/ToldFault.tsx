/** A fault that is told within an answer instead of being its error: in the reader's words, then in its own. */
import { ProblemError } from '../api/problem';
import { useWordFor } from '../i18n/useWordFor';
import { Unhealthy } from './Health';
import { useProblemWords } from './useProblemText';

interface Props {
  code: string;
  message?: string | null | undefined;
  hint?: string | null | undefined;
  ago?: string | null;
}

export function ToldFault({ code, message, hint, ago = null }: Props) {
  const wordsOf = useProblemWords();
  const toolWord = useWordFor('tools.faults');
  const problem = wordsOf(new ProblemError(502, { code, detail: message ?? null, hint: hint ?? null }));
  // A fault of a tool's call that is no error of the server's has words of its own.
  const known = toolWord(code);
  const told = message && message !== (known ?? problem.message) ? message : null;
  return <Unhealthy text={known ?? problem.text} told={told} code={code} ago={ago} />;
}
