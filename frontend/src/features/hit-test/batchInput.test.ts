import { expect, test } from 'vitest';
import { decode, readFile, readPasted, readTable } from './batchInput';

test('a line is a question, a tab brings the documents', () => {
  expect(readPasted('How long?\n\n  Who, and why?  \r\nWhere?\ta.pdf; b.md\nWhen? => -\n')).toEqual([
    { question: 'How long?' },
    { question: 'Who, and why?' },
    { question: 'Where?', documents: ['a.pdf', 'b.md'] },
    { question: 'When?', expects_nothing: true },
  ]);
});

test('a file is read as a table, with quotes and without its heading', () => {
  const text = '\ufeff问题,期望文档\r\n"年假, 几天？",手册.pdf；假期.docx\r\n"他说""好""",无\r\n,\r\n';
  expect(readFile(text)).toEqual([
    { question: '年假, 几天？', documents: ['手册.pdf', '假期.docx'] },
    { question: '他说"好"', expects_nothing: true },
  ]);
});

test('cells may hold line breaks, and tabs may divide them', () => {
  expect(readTable('"a\nb",c\nd')).toEqual([['a\nb', 'c'], ['d']]);
  expect(readTable('a\tb,c')).toEqual([['a', 'b,c']]);
});

test('what is no UTF-8 is read as GB18030', () => {
  expect(decode(new Uint8Array([0xc4, 0xea, 0xbc, 0xd9]).buffer)).toBe('年假');
});
