/** Lists of pairs as people type them, one a line, and variables as the interface wants them. */
import type { ToolServerView, VariableDraftWritable } from '../../api/generated/types.gen';

export type VariableKind = 'secret' | 'plain' | 'personal';

export interface VariableRow {
  name: string;
  value: string;
  kind: VariableKind;
  /** The mask of the secret that is kept, where there is one. */
  kept: string | null;
}

/** `Name: value` (or `NAME=value`) a line; null with the number of the first line that is neither. */
export function pairsOf(
  text: string,
  mark: ':' | '=',
): { pairs: Record<string, string>; fault: number | null } {
  const pairs: Record<string, string> = {};
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.trim()) continue;
    const at = line.indexOf(mark);
    if (at < 1) return { pairs, fault: index + 1 };
    pairs[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return { pairs, fault: null };
}

export function linesOf(pairs: Record<string, string> | undefined, mark: ':' | '='): string {
  const between = mark === ':' ? ': ' : '=';
  return Object.entries(pairs ?? {})
    .map(([name, value]) => `${name}${between}${value}`)
    .join('\n');
}

export function rowsOf(server: ToolServerView | null): VariableRow[] {
  return (server?.variables ?? []).map((variable) => ({
    name: variable.name,
    value: variable.is_secret || variable.is_per_user ? '' : (variable.shown ?? ''),
    kind: variable.is_per_user ? 'personal' : variable.is_secret ? 'secret' : 'plain',
    kept: variable.is_secret && !variable.is_per_user ? variable.shown : null,
  }));
}

export function draftsOf(rows: VariableRow[]): VariableDraftWritable[] {
  return rows
    .filter((row) => row.name.trim())
    .map((row) => ({
      name: row.name.trim(),
      is_secret: row.kind !== 'plain',
      is_per_user: row.kind === 'personal',
      value: row.kind !== 'personal' && row.value ? row.value : null,
    }));
}
