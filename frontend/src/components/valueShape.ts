const isScalar = (value: unknown) => typeof value !== 'object' || value === null;

/** A list that can stand in one line: of words and numbers, not of things with parts. */
export const isSimpleList = (value: readonly unknown[]) =>
  value.every(isScalar) && value.map(String).join(', ').length <= 120;

/** Whether a value holds others that need lines of their own. */
export function isNested(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) ? value.length > 0 && !isSimpleList(value) : Object.keys(value).length > 0;
}

/** A value in one line, for where there is no room for its parts. */
export function inOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '—');
  if (Array.isArray(value)) return value.map(inOneLine).join(', ');
  return Object.entries(value)
    .map(([name, inner]) => `${name}: ${inOneLine(inner)}`)
    .join(', ');
}
