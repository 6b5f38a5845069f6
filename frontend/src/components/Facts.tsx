import { Fragment } from 'react';
import classes from './Facts.module.css';

/** Short facts in a row; a line breaks between two of them, never within one. */
export function Facts({ items }: { items: readonly (string | null | false | undefined)[] }) {
  const shown = items.filter((item): item is string => Boolean(item));
  return (
    <>
      {shown.map((item, index) => (
        <Fragment key={item}>
          {index > 0 && ' '}
          <span className={classes.fact}>{index < shown.length - 1 ? `${item} ·` : item}</span>
        </Fragment>
      ))}
    </>
  );
}
