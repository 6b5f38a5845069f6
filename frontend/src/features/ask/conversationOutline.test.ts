import { expect, test } from 'vitest';
import type { ConversationDetail } from '../../api/generated/types.gen';
import { isBehind } from './conversationOutline';

const known = { title: 'Lamps', runs: [{ id: 'a' }, { id: 'b' }] } as ConversationDetail;
const run = (id: string) => ({ id, state: 'running', retry_of: null });

test('a run asked elsewhere and another title are news, what is shown is not', () => {
  expect(isBehind(known, { title: 'Lamps', runs: [run('a'), run('b')] })).toBe(false);
  expect(isBehind(known, { title: 'Lamps', runs: [run('a'), run('b'), run('c')] })).toBe(true);
  expect(isBehind(known, { title: 'Bulbs', runs: [run('a'), run('b')] })).toBe(true);
  // The page's own run may be there before the server tells of it.
  expect(isBehind(known, { title: 'Lamps', runs: [run('a')] })).toBe(false);
  expect(isBehind(undefined, { title: 'Lamps', runs: [run('c')] })).toBe(false);
});
