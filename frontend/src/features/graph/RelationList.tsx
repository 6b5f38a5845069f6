/** The relations of a part of the graph in words: what the drawing shows, for whom it shows nothing. */
import { Text, UnstyledButton } from '@mantine/core';
import type { RelationView } from '../../api/generated/types.gen';
import classes from './GraphTab.module.css';
import { useRelationText } from './useRelationText';

interface Props {
  edges: readonly RelationView[];
  relation: RelationView | null;
  onRelation: (relation: RelationView) => void;
}

export function RelationList({ edges, relation, onRelation }: Props) {
  const words = useRelationText();
  return (
    <ul className={`${classes.list} rd-card`}>
      {edges.map((edge) => (
        <li key={`${edge.source.id} ${edge.kind} ${edge.label} ${edge.target.id}`}>
          <UnstyledButton
            className={classes.line}
            aria-pressed={edge === relation}
            onClick={() => onRelation(edge)}
          >
            <Text component="span" size="sm" fw={600}>
              {edge.source.name}
            </Text>{' '}
            <Text component="span" size="sm" c="dimmed">
              {words.label(edge)}
            </Text>{' '}
            <Text component="span" size="sm" fw={600}>
              {edge.target.name}
            </Text>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
