/** A part of the graph drawn: entities to go to, relations to read. The list beside says the same in words. */
import { type KeyboardEvent, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { GraphPart, RelationView } from '../../api/generated/types.gen';
import classes from './GraphDrawing.module.css';
import { layOut } from './layout';
import { useRelationText } from './useRelationText';

const size = { width: 900, height: 560 };
const RADIUS = 9;
const NAME_CHARS = 18;
/** Drawings with more relations leave their words to the evidence beside. */
const MOST_LABELS = 40;

interface Props {
  part: GraphPart;
  relation: RelationView | null;
  onEntity: (id: string) => void;
  onRelation: (relation: RelationView) => void;
}

export function GraphDrawing({ part, relation, onEntity, onRelation }: Props) {
  const { t } = useTranslation();
  const words = useRelationText();
  const places = useMemo(
    () =>
      layOut(
        part.entities.map(({ id }) => id),
        part.edges.map(({ source, target }) => ({ from: source.id, to: target.id })),
        size,
      ),
    [part],
  );
  return (
    <div className={classes.frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing has no fieldsets */}
      <svg
        className={classes.drawing}
        viewBox={`-40 0 ${size.width + 80} ${size.height}`}
        role="group"
        aria-label={t('graph.drawingOf', { entities: part.entities.length, relations: part.edges.length })}
      >
        <defs>
          <marker
            id="rd-graph-arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0 L8 4 L0 8 z" className={classes.arrow} />
          </marker>
        </defs>
        {part.edges.map((edge) => {
          const from = places.get(edge.source.id);
          const to = places.get(edge.target.id);
          if (!from || !to) return null;
          const far = Math.hypot(to.x - from.x, to.y - from.y) || 1;
          const end = {
            x: to.x - ((to.x - from.x) / far) * (RADIUS + 3),
            y: to.y - ((to.y - from.y) / far) * (RADIUS + 3),
          };
          const line = { x1: from.x, y1: from.y, x2: end.x, y2: end.y };
          return (
            // biome-ignore lint/a11y/useSemanticElements: a drawing has no buttons
            <g
              key={`${edge.source.id} ${edge.kind} ${edge.label} ${edge.target.id}`}
              className={classes.edge}
              role="button"
              tabIndex={0}
              aria-label={words.sentence(edge)}
              aria-pressed={edge === relation}
              onClick={() => onRelation(edge)}
              onKeyDown={onEnter(() => onRelation(edge))}
            >
              <title>{words.sentence(edge)}</title>
              <line {...line} className={classes.wide} />
              <line {...line} markerEnd="url(#rd-graph-arrow)" />
              {part.edges.length <= MOST_LABELS && (
                <text x={(from.x + to.x) / 2} y={(from.y + to.y) / 2 - 4} aria-hidden>
                  {cut(words.label(edge))}
                </text>
              )}
            </g>
          );
        })}
        {part.entities.map((entity) => {
          const place = places.get(entity.id);
          if (!place) return null;
          const kinds = [
            classes.node,
            entity.kind === 'value' ? classes.value : '',
            entity.id === part.centre?.id ? classes.centre : '',
          ];
          return (
            // biome-ignore lint/a11y/useSemanticElements: a drawing has no buttons
            <g
              key={entity.id}
              className={kinds.join(' ')}
              role="button"
              tabIndex={0}
              aria-label={entity.name}
              onClick={() => onEntity(entity.id)}
              onKeyDown={onEnter(() => onEntity(entity.id))}
            >
              <title>{[entity.name, ...entity.also].join(' · ')}</title>
              <circle cx={place.x} cy={place.y} r={RADIUS} />
              <text y={place.y + RADIUS + 14} aria-hidden>
                {linesOf(entity.name).map((line, n) => (
                  <tspan key={line} x={place.x} dy={n === 0 ? 0 : 14}>
                    {line}
                  </tspan>
                ))}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

const cut = (text: string) => text.slice(0, NAME_CHARS);

/** At most two lines of a name, ended between words; the tooltip and the name read out have all of it. */
function linesOf(name: string): string[] {
  const first = firstLine(name);
  const rest = name.slice(first.length);
  return rest ? [first, firstLine(rest)] : [first];
}

function firstLine(text: string): string {
  if (text.length <= NAME_CHARS) return text;
  const space = text.lastIndexOf(' ', NAME_CHARS);
  return text.slice(0, space > 0 ? space + 1 : NAME_CHARS);
}

/** Enter and the space bar do what a click does. */
const onEnter = (act: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  act();
};
