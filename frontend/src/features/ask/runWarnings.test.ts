import { describe, expect, it } from 'vitest';
import { warningsToShow } from './runWarnings';

const warning = (code: string, message = code) => ({ code, message });

describe('warningsToShow', () => {
  it('shows each kind once, in the order they came', () => {
    const shown = warningsToShow([
      warning('citation-removed', '9'),
      warning('answer-truncated'),
      warning('citation-removed', '12'),
    ]);
    expect(shown.map(({ code, message }) => [code, message])).toEqual([
      ['citation-removed', '9'],
      ['answer-truncated', 'answer-truncated'],
    ]);
  });

  it('leaves out what the page tells elsewhere', () => {
    expect(warningsToShow([warning('nothing-found'), warning('no-language-model')])).toEqual([]);
  });
});
