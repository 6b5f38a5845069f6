/** The calls of a run's rounds, as its stages tell them. */
import type { RunOut } from '../../api/generated/types.gen';

export interface AgentCall {
  /** Which stage it belongs to: ids are unique within one only. */
  step: number;
  id: string;
  tool: string;
  title: string;
  arguments: Record<string, unknown>;
  result: string | null;
  /** Null while the call waits for a person's agreement. */
  ok: boolean | null;
}

export function agentCalls(run: RunOut): AgentCall[] {
  return (run.stages ?? []).flatMap((stage, step) => {
    const calls = stage.name === 'tools' ? stage.detail?.calls : undefined;
    if (!Array.isArray(calls)) return [];
    return calls
      .filter((call) => typeof call?.title === 'string' && 'result' in call)
      .map((call) => ({ ...call, step, arguments: call.arguments ?? {} }) as AgentCall);
  });
}

/** The named values of a text that is a JSON object, or null: of anything else the text says the most. */
export function valuesIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
