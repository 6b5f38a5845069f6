import type { RuleFault } from '../../api/generated/types.gen';
import { ProblemError } from '../../api/problem';
import { useProblemWords } from '../../components/useProblemText';
import { useWordFor } from '../../i18n/useWordFor';

/** What is wrong with a rule in the reader's language; else of the code of the fault, else as the server
 * words it. */
export function useFaultText() {
  const wordsOf = useProblemWords();
  const wordFor = useWordFor('policies.faults');
  return (fault: RuleFault): string => {
    const details = fault.details ?? {};
    const values = Object.fromEntries(
      Object.entries(details).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(' → ') : typeof value === 'number' ? value : String(value),
      ]),
    );
    const isPlaced = details.reason !== 'syntax' || typeof details.place === 'number';
    const known = typeof details.reason === 'string' && isPlaced ? wordFor(details.reason, values) : null;
    return known ?? wordsOf(new ProblemError(422, { ...fault, detail: fault.message })).message;
  };
}
