import type { Element, Root } from 'hast';
import { describe, expect, it } from 'vitest';
import { answerMarkup, splitCitations } from './answerMarkup';

const tags = (parts: { type: string; tagName?: string; value?: string }[]) =>
  parts.map((part) => part.tagName ?? part.value);

describe('splitCitations', () => {
  it('makes chips of known numbers only', () => {
    const parts = splitCitations('Yes [1][2], see [9].', new Set([1, 2]));
    expect(tags(parts as never)).toEqual(['Yes ', 'cite', 'cite', ', see [9].']);
  });

  it('leaves text without marks whole', () => {
    expect(splitCitations('第 3 章[a]', new Set([3]))).toEqual([{ type: 'text', value: '第 3 章[a]' }]);
  });
});

describe('answerMarkup', () => {
  const paragraph = (value: string, offset: number): Root => ({
    type: 'root',
    children: [
      {
        type: 'element',
        tagName: 'p',
        properties: {},
        children: [
          {
            type: 'text',
            value,
            position: {
              start: { line: 1, column: 1, offset },
              end: { line: 1, column: 1, offset: offset + value.length },
            },
          },
        ],
      },
    ],
  });

  it('marks exactly the unsupported sentence', () => {
    const tree = paragraph('First. Second. Third.', 10);
    answerMarkup({ known: new Set(), unsupported: [{ start: 17, end: 24, reason: 'not-in-evidence' }] })(
      tree,
    );
    const children = (tree.children[0] as Element).children as Element[];
    expect(children.map((child) => child.tagName ?? 'text')).toEqual(['text', 'u', 'text']);
    expect(children[1]?.children).toEqual([{ type: 'text', value: 'Second.' }]);
  });

  it('counts the characters of the source as the server does', () => {
    const source = '𠮷😀. Second.';
    const tree = paragraph(source, 0);
    const unsupported = [{ start: 4, end: 11, reason: 'not-in-evidence' }];
    answerMarkup({ known: new Set(), unsupported })(tree, { value: source });
    const children = (tree.children[0] as Element).children as Element[];
    expect(children[1]?.children).toEqual([{ type: 'text', value: 'Second.' }]);
  });

  it('does not touch code', () => {
    const tree = paragraph('[1]', 0);
    (tree.children[0] as Element).tagName = 'code';
    answerMarkup({ known: new Set([1]), unsupported: [] })(tree);
    expect((tree.children[0] as Element).children[0]).toMatchObject({ type: 'text', value: '[1]' });
  });
});
