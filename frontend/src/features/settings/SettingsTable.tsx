import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { LoadMore } from '../../components/LoadMore';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import classes from './SettingsTable.module.css';

interface Listing {
  isPending: boolean;
  error: unknown;
  refetch: () => unknown;
}

/** A list that comes page by page has a button for the next. */
type Pages = Parameters<typeof LoadMore>[0]['list'];

interface Props {
  title: string;
  text: string;
  /** The query behind the rows: its waiting and its failure are shown in place of them. */
  listing: Listing | (Listing & Pages);
  action?: ReactNode;
  children: ReactNode;
}

/** A section of the settings: what it is, what one can add, and the list in a card that scrolls on phones. */
export function SettingsTable({ title, text, listing, action, children }: Props) {
  return (
    <div>
      <Group justify="space-between" align="flex-end" mb="md">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          <Text size="sm" c="dimmed" maw={560}>
            {text}
          </Text>
        </div>
        {action}
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={classes.frame} tabIndex={0} aria-label={title}>
        {listing.isPending && <Skeletons rows={3} />}
        {listing.error != null && <Problem error={listing.error} onRetry={() => listing.refetch()} />}
        {children}
        {'hasNextPage' in listing && <LoadMore list={listing} />}
      </section>
    </div>
  );
}
