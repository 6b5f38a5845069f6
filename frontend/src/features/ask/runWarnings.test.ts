import { describe, expect, it } from 'vitest';
import type { WarningOut } from '../../api/generated/types.gen';
import { warningsToShow } from './runWarnings';

const warning = (code: string, message = code) => ({ code, message });
/** The page has its own words for citations only. */
const textOf = ({ code, message }: WarningOut) => (code === 'citation-removed' ? 'taken out' : message);

describe('warningsToShow', () => {
  it('says the same thing once, in the order they came', () => {
    const shown = warningsToShow(
      [
        warning('citation-removed', '9'),
        warning('answer-truncated', 'cut'),
        warning('citation-removed', '12'),
      ],
      textOf,
    );
    expect(shown).toEqual(['taken out', 'cut']);
  });

  it('names each tool that failed', () => {
    const shown = warningsToShow(
      [warning('tool-failed', 'orders'), warning('tool-failed', 'parcels')],
      textOf,
    );
    expect(shown).toEqual(['orders', 'parcels']);
  });

  it('leaves out what the page tells elsewhere', () => {
    expect(warningsToShow([warning('nothing-found'), warning('no-language-model')], textOf)).toEqual([]);
  });
});
