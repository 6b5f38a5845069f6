import { expect, test } from 'vitest';
import { problemSentence } from './problemSentence';

const from = (facts: Record<string, string>) => (name: string) => facts[name] ?? null;

test('facts that are known are said', () => {
  const template = 'Too many pages[: {{pages}}][, {{limit}} at most].';
  expect(problemSentence(template, from({ pages: '900', limit: '500' }))).toEqual({
    text: 'Too many pages: 900, 500 at most.',
    facts: 2,
  });
});

test('what is not known leaves no gap', () => {
  const template = 'Too many pages[: {{pages}}][, {{limit}} at most].';
  expect(problemSentence(template, from({ limit: '500' })).text).toBe('Too many pages, 500 at most.');
  expect(problemSentence(template, from({}))).toEqual({ text: 'Too many pages.', facts: 0 });
});

test('a part with two facts needs both', () => {
  const template = 'Wrong size[: {{expected}}, not {{received}}].';
  expect(problemSentence(template, from({ expected: '512' })).text).toBe('Wrong size.');
});

test('another word stands where the fact is not known', () => {
  const template = '[The term “{{word}}”|The word] is taken.';
  expect(problemSentence(template, from({ word: 'GPU' })).text).toBe('The term “GPU” is taken.');
  expect(problemSentence(template, from({}))).toEqual({ text: 'The word is taken.', facts: 0 });
});

test('a fact that holds brackets or braces is shown as it is', () => {
  const template = 'Not valid[: {{pattern}}].';
  expect(problemSentence(template, from({ pattern: '[a-z]{{x}}$1' })).text).toBe('Not valid: [a-z]{{x}}$1.');
});
