import { describe, expect, it } from 'vitest';
import type { IntentOut } from '../../api/generated/types.gen';
import { levelMove, neighbourMove, visibleNodes } from './intentTree';

const node = (id: string, parent_id: string | null, level: IntentOut['level']): IntentOut => ({
  id,
  parent_id,
  level,
  is_leaf: true,
  code: id,
  name: id,
});
const tree = [
  node('a', null, 'domain'),
  node('a1', 'a', 'category'),
  node('a1x', 'a1', 'topic'),
  node('a2', 'a', 'category'),
  node('b', null, 'domain'),
];
const at = (id: string) => tree.find((one) => one.id === id) as IntentOut;

describe('a tree of intents', () => {
  it('moves a node among its siblings', () => {
    expect(neighbourMove(tree, at('a2'), -1)).toEqual({ parent_id: 'a', before_id: 'a1' });
    expect(neighbourMove(tree, at('a'), 1)).toEqual({ parent_id: null, before_id: null });
    expect(neighbourMove(tree, at('a'), -1)).toBeNull();
  });

  it('moves a node one level in or out, but never too deep', () => {
    expect(levelMove(tree, at('a2'), 'in')).toEqual({ parent_id: 'a1', before_id: null });
    expect(levelMove(tree, at('a1x'), 'out')).toEqual({ parent_id: 'a', before_id: 'a2' });
    expect(levelMove([node('z', null, 'domain'), ...tree], at('a'), 'in')).toBeNull();
    expect(levelMove(tree, at('a'), 'out')).toBeNull();
  });

  it('hides what is below a folded node', () => {
    expect(visibleNodes(tree, new Set(['a'])).map((one) => one.id)).toEqual(['a', 'b']);
    expect(visibleNodes(tree, new Set(['a1'])).map((one) => one.id)).toEqual(['a', 'a1', 'a2', 'b']);
  });
});
