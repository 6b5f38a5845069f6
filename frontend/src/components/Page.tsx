import type { ReactNode } from 'react';
import classes from './Page.module.css';

/** The measure of an ordinary page; `narrow` for forms and reading. */
export function Page({ children, narrow }: { children: ReactNode; narrow?: boolean }) {
  return <div className={narrow ? classes.narrow : classes.page}>{children}</div>;
}
