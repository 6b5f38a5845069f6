import type { RuleFault } from '../../api/generated/types.gen';
import { useWordFor } from '../../i18n/useWordFor';

/** What is wrong with a rule in the reader's language; the server's own words where the catalogue has none. */
export function useFaultText() {
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
    return known ?? fault.message;
  };
}
