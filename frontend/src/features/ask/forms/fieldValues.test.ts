import { describe, expect, it } from 'vitest';
import { missingIn, sentValues } from './fieldValues';

const fields = [{ name: 'order', required: true }, { name: 'size', enum: [1, 2] }, { name: 'note' }];

describe('values of a form', () => {
  it('names what is required and empty', () => {
    expect(missingIn(fields, { order: '  ' })).toEqual(['order']);
    expect(missingIn(fields, { order: '7' })).toEqual([]);
  });

  it('sends a choice as what it stands for and leaves out what is empty', () => {
    expect(sentValues(fields, { order: ' 7 ', size: '2', note: '' })).toEqual({ order: '7', size: 2 });
  });
});
