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

/** JSON with line breaks where it is JSON, else the text as it is. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
