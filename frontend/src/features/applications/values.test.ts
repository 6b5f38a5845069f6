import { describe, expect, it } from 'vitest';
import { emptyApplication, questionsOf, templateIsUsable, toBody, valuesOf } from './values';

describe('application values', () => {
  it('survive the way to the server and back', () => {
    const values = {
      ...emptyApplication,
      name: 'Desk',
      suggested_questions: 'One?\nTwo?',
      empty_reply: 'Sorry.',
      temperature: 0.2,
      language: 'zh' as const,
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

  it('drop empty lines between suggested questions', () => {
    expect(questionsOf(' 什么是 A？ \n\n B? \n')).toEqual(['什么是 A？', 'B?']);
  });

  it('accept only templates with both places, or none', () => {
    expect(templateIsUsable('')).toBe(true);
    expect(templateIsUsable('{data} {question}')).toBe(true);
    expect(templateIsUsable('{question}')).toBe(false);
  });
});
