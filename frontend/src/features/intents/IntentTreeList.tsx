/**
 * The tree by mouse and keyboard: arrows walk and fold, Alt with arrows moves the node, Delete deletes it. The
 * same moves are buttons under the tree, for those who do not know the keys.
 */
import { ActionIcon, Badge, Group, Text, Tooltip } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconIndentDecrease,
  IconIndentIncrease,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { IntentMove, IntentOut } from '../../api/generated/types.gen';
import classes from './IntentTreeList.module.css';
import { levelMove, levelOf, mostLevels, neighbourMove, visibleNodes } from './intentTree';

interface Props {
  items: IntentOut[];
  chosen: string | null;
  mayWrite: boolean;
  onChoose: (id: string) => void;
  onMove: (id: string, to: IntentMove) => void;
  onAdd: (parent: IntentOut) => void;
  onDelete: (node: IntentOut) => void;
}

const kinds = ['kb', 'system', 'mcp'] as const;
const colours = ['gray', 'blue', 'lamp'] as const;

export function IntentTreeList({ items, chosen, mayWrite, onChoose, onMove, onAdd, onDelete }: Props) {
  const { t } = useTranslation();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLDivElement>(null);
  const shown = visibleNodes(items, folded);
  const node = items.find((one) => one.id === chosen) ?? null;
  const active = node && shown.includes(node) ? node.id : shown[0]?.id;

  const fold = (id: string, isFolded: boolean) =>
    setFolded((known) => {
      const next = new Set(known);
      if (isFolded) next.add(id);
      else next.delete(id);
      return next;
    });
  const focus = (one: IntentOut | undefined) => {
    if (!one) return;
    onChoose(one.id);
    list.current?.querySelector<HTMLElement>(`[data-id="${one.id}"]`)?.focus();
  };
  const moves = node && {
    up: neighbourMove(items, node, -1),
    down: neighbourMove(items, node, 1),
    in: levelMove(items, node, 'in'),
    out: levelMove(items, node, 'out'),
  };
  const onKeyDown = (event: KeyboardEvent, one: IntentOut) => {
    const at = shown.indexOf(one);
    const keys: [string, () => unknown][] = event.altKey
      ? [
          ['ArrowUp', () => moves?.up && onMove(one.id, moves.up)],
          ['ArrowDown', () => moves?.down && onMove(one.id, moves.down)],
          ['ArrowRight', () => moves?.in && onMove(one.id, moves.in)],
          ['ArrowLeft', () => moves?.out && onMove(one.id, moves.out)],
        ]
      : [
          ['ArrowUp', () => focus(shown[at - 1])],
          ['ArrowDown', () => focus(shown[at + 1])],
          ['Home', () => focus(shown[0])],
          ['End', () => focus(shown.at(-1))],
          ['ArrowRight', () => (folded.has(one.id) ? fold(one.id, false) : focus(below(items, one)))],
          [
            'ArrowLeft',
            () =>
              !one.is_leaf && !folded.has(one.id)
                ? fold(one.id, true)
                : focus(items.find((other) => other.id === one.parent_id)),
          ],
          ['Enter', () => onChoose(one.id)],
          ['Delete', () => mayWrite && onDelete(one)],
        ];
    const act = keys.find(([key]) => key === event.key)?.[1];
    if (!act || (event.altKey && !mayWrite)) return;
    event.preventDefault();
    act();
  };

  return (
    <>
      <div role="tree" aria-label={t('intents.tree')} ref={list} className={classes.tree}>
        {shown.map((one) => {
          const kind = one.kind ?? 0;
          return (
            <div
              key={one.id}
              role="treeitem"
              data-id={one.id}
              aria-level={levelOf(one)}
              aria-selected={one.id === chosen}
              aria-expanded={one.is_leaf ? undefined : !folded.has(one.id)}
              tabIndex={one.id === active ? 0 : -1}
              className={classes.item}
              style={{ paddingInlineStart: `${(levelOf(one) - 1) * 20 + 6}px` }}
              onClick={() => onChoose(one.id)}
              onKeyDown={(event) => onKeyDown(event, one)}
            >
              {one.is_leaf ? (
                <span className={classes.fold} aria-hidden />
              ) : (
                <span
                  className={classes.fold}
                  aria-hidden
                  onClick={(event) => {
                    event.stopPropagation();
                    fold(one.id, !folded.has(one.id));
                  }}
                >
                  {folded.has(one.id) ? <IconChevronRight size={15} /> : <IconChevronDown size={15} />}
                </span>
              )}
              <Text
                span
                size="sm"
                truncate
                className={classes.name}
                data-off={one.enabled === false || undefined}
              >
                {one.name}
              </Text>
              {one.is_leaf && (
                <Badge size="xs" variant="light" color={colours[kind]} style={{ flexShrink: 0 }}>
                  {t(`intents.kinds.${kinds[kind]}`)}
                </Badge>
              )}
              {one.enabled === false && (
                <Badge size="xs" variant="outline" color="gray" style={{ flexShrink: 0 }}>
                  {t('intents.off')}
                </Badge>
              )}
            </div>
          );
        })}
      </div>
      {mayWrite && node && moves && (
        <Group gap={4} mt="xs" role="toolbar" aria-label={t('intents.actionsOn', { name: node.name })}>
          <Act label={t('intents.moveUp')} to={moves.up} onMove={(to) => onMove(node.id, to)}>
            <IconArrowUp size={17} />
          </Act>
          <Act label={t('intents.moveDown')} to={moves.down} onMove={(to) => onMove(node.id, to)}>
            <IconArrowDown size={17} />
          </Act>
          <Act label={t('intents.moveOut')} to={moves.out} onMove={(to) => onMove(node.id, to)}>
            <IconIndentDecrease size={17} />
          </Act>
          <Act label={t('intents.moveIn')} to={moves.in} onMove={(to) => onMove(node.id, to)}>
            <IconIndentIncrease size={17} />
          </Act>
          <Tooltip label={t('intents.addBelow')}>
            <ActionIcon
              aria-label={t('intents.addBelow')}
              disabled={levelOf(node) >= mostLevels}
              onClick={() => onAdd(node)}
            >
              <IconPlus size={17} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('common.delete')}>
            <ActionIcon aria-label={t('common.delete')} color="red" onClick={() => onDelete(node)}>
              <IconTrash size={17} />
            </ActionIcon>
          </Tooltip>
        </Group>
      )}
    </>
  );
}

const below = (items: IntentOut[], node: IntentOut) => items.find((other) => other.parent_id === node.id);

interface ActProps {
  label: string;
  to: IntentMove | null;
  onMove: (to: IntentMove) => void;
  children: React.ReactNode;
}

function Act({ label, to, onMove, children }: ActProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} disabled={!to} onClick={() => to && onMove(to)}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
