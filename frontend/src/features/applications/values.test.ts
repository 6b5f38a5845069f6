import { describe, expect, it } from 'vitest';
import { emptyPipeline, faultyTerms, toPipeline } from './pipelineValues';
import { emptyApplication, questionsOf, toBody, valuesOf } from './values';

describe('application values', () => {
  it('survive the way to the server and back', () => {
    const values = {
      ...emptyApplication,
      name: 'Desk',
      suggested_questions: 'One?\nTwo?',
      empty_reply: 'Sorry.',
      temperature: 0.2,
      language: 'zh' as const,
      prompts: { tools: 'T {data} {question}', both: '', empty: '' },
      pipeline: {
        ...emptyApplication.pipeline,
        term_mapping: 'buds = AirPods Pro\n耳机 = AirPods',
        tools: ['mcp:1:order_query'],
      },
    };
    const body = toBody(values);
    const back = valuesOf({
      id: 'a',
      created_at: '',
      updated_at: '',
      name: body.name,
      description: body.description ?? '',
      knowledge_base_ids: body.knowledge_base_ids ?? [],
      model_id: body.model_id ?? null,
      prompts: body.prompts ?? {},
      settings: body.settings ?? {},
    });
    expect(back).toEqual(values);
  });

  it('read pairs of words, and tell lines that are none', () => {
    const lines = '苹果耳机＝AirPods\n\nvpn\n= x';
    expect(toPipeline({ ...emptyPipeline, term_mapping: lines }).term_mapping).toEqual([
      { said: '苹果耳机', written: 'AirPods' },
    ]);
    expect(faultyTerms(lines)).toEqual(['vpn', '= x']);
  });

  it('drop empty lines between suggested questions', () => {
    expect(questionsOf(' 什么是 A？ \n\n B? \n')).toEqual(['什么是 A？', 'B?']);
  });
});
