/** An intent between the form and the server: examples are a line each, the kind is a segment's name. */
import type { IntentOut, IntentPatch } from '../../api/generated/types.gen';

export interface IntentValues {
  name: string;
  code: string;
  description: string;
  kind: string;
  examples: string;
  knowledge_base_ids: string[];
  top_k: number | '';
  tool_id: string | null;
  parameter_prompt: string;
  answer_rule: string;
  system_prompt: string;
  reply: string;
  enabled: boolean;
}

export const valuesOf = (node: IntentOut): IntentValues => ({
  name: node.name,
  code: node.code,
  description: node.description ?? '',
  kind: String(node.kind ?? 0),
  examples: (node.examples ?? []).join('\n'),
  knowledge_base_ids: node.knowledge_base_ids ?? [],
  top_k: node.top_k ?? '',
  tool_id: node.tool_id ?? null,
  parameter_prompt: node.parameter_prompt ?? '',
  answer_rule: node.answer_rule ?? '',
  system_prompt: node.system_prompt ?? '',
  reply: node.reply ?? '',
  enabled: node.enabled ?? true,
});

export const patchOf = (values: IntentValues): IntentPatch => ({
  ...values,
  kind: Number(values.kind) as 0 | 1 | 2,
  top_k: values.top_k === '' ? null : values.top_k,
  examples: values.examples
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean),
});
