import { useWordFor } from '../../i18n/useWordFor';

/** Our strategies by their translated name, others by the one their package gave them. */
export function useStrategyName(): (name: string) => string {
  const wordFor = useWordFor('strategies');
  return (name) => wordFor(name) ?? name;
}
