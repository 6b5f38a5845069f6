/** The flat list of a tree's nodes (each before those below it) as a page needs it. */
import type { IntentOut } from '../../api/generated/types.gen';

export const mostLevels = 3;
export const levelOf = (node: IntentOut) => ({ domain: 1, category: 2, topic: 3 })[node.level];

export const siblingsOf = (items: IntentOut[], node: IntentOut) =>
  items.filter((other) => other.parent_id === node.parent_id);

/** Where a node goes when it is moved among its siblings; null where it cannot. */
export function neighbourMove(items: IntentOut[], node: IntentOut, by: -1 | 1) {
  const siblings = siblingsOf(items, node);
  const target = siblings.findIndex((other) => other.id === node.id) + by;
  if (target < 0 || target >= siblings.length) return null;
  const before = by < 0 ? siblings[target] : siblings[target + 1];
  return { parent_id: node.parent_id, before_id: before?.id ?? null };
}

/** One level in (below the sibling before it) or out (after its parent); null where it cannot. */
export function levelMove(items: IntentOut[], node: IntentOut, direction: 'in' | 'out') {
  if (direction === 'in') {
    const siblings = siblingsOf(items, node);
    const above = siblings[siblings.findIndex((other) => other.id === node.id) - 1];
    return above && levelOf(node) + depthBelow(items, node) <= mostLevels - 1
      ? { parent_id: above.id, before_id: null }
      : null;
  }
  const parent = items.find((other) => other.id === node.parent_id);
  if (!parent) return null;
  const uncles = siblingsOf(items, parent);
  const next = uncles[uncles.findIndex((other) => other.id === parent.id) + 1];
  return { parent_id: parent.parent_id, before_id: next?.id ?? null };
}

/** How many levels there are below a node. */
export function depthBelow(items: IntentOut[], node: IntentOut): number {
  const below = items.filter((other) => other.parent_id === node.id);
  return below.length === 0 ? 0 : 1 + Math.max(...below.map((child) => depthBelow(items, child)));
}

/** The nodes that are to be seen: nothing below what is folded. */
export function visibleNodes(items: IntentOut[], folded: ReadonlySet<string>): IntentOut[] {
  const hidden = new Set<string>();
  return items.filter((node) => {
    const isHidden = node.parent_id !== null && (hidden.has(node.parent_id) || folded.has(node.parent_id));
    if (isHidden) hidden.add(node.id);
    return !isHidden;
  });
}

/** A code that no other node has, to begin with. */
export function freeCode(items: IntentOut[]): string {
  const taken = new Set(items.map((node) => node.code));
  let number = items.length + 1;
  while (taken.has(`intent-${number}`)) number += 1;
  return `intent-${number}`;
}
