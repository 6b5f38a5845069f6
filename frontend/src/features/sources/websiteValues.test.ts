import { describe, expect, it } from 'vitest';
import type { SourceView } from '../../api/generated/types.gen';
import { bodyOf, valuesOf } from './websiteValues';

describe('websiteValues', () => {
  it('sends what was typed, trimmed, and nothing for what was left empty', () => {
    const body = bodyOf({ ...valuesOf(undefined), url: ' https://a.example/ ', selector: '  ' });
    expect(body.config.url).toBe('https://a.example/');
    expect(body.config.selector).toBeNull();
    expect(body.name).toBeNull();
    expect(body.interval_hours).toBeNull();
  });

  it('fills the form with a source and sends the same back', () => {
    const source = {
      name: 'Docs',
      interval_hours: 24,
      config: { url: 'https://a.example/', scope: 'host', depth: 2, selector: null, exclude: ['*/x'] },
    } as unknown as SourceView;
    const body = bodyOf(valuesOf(source));
    expect(body).toMatchObject({ name: 'Docs', interval_hours: 24 });
    expect(body.config).toMatchObject({ scope: 'host', depth: 2, exclude: ['*/x'], selector: null });
  });

  it('takes the next longer choice for an interval that is none', () => {
    expect(valuesOf({ interval_hours: 30, config: {}, name: '' } as unknown as SourceView).interval).toBe(
      '168',
    );
    expect(valuesOf({ interval_hours: 5000, config: {}, name: '' } as unknown as SourceView).interval).toBe(
      '720',
    );
  });
});
