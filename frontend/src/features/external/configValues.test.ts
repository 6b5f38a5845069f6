import { describe, expect, it } from 'vitest';
import { configOf, faultOf, serverFaults, valuesOf } from './configValues';
import { fieldsOf, kinds } from './kinds';

const field = (kind: 'http' | 'postgres', name: string) => {
  const found = fieldsOf[kind].find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
};

describe('configValues', () => {
  it('leaves what is empty out and trims the rest', () => {
    const values = { ...valuesOf('postgres'), host: ' db ', text_columns: ['body ', ' '], title_column: ' ' };
    const config = configOf('postgres', values);
    expect(config).toMatchObject({ host: 'db', port: 5432, id_column: 'id', text_columns: ['body'] });
    expect(config).not.toHaveProperty('title_column');
    expect(config).not.toHaveProperty('vector_column');
  });

  it('gives the settings of a saved source back as they were', () => {
    const config = {
      url: 'https://a.example/search',
      method: 'GET',
      params: { q: '{query}' },
      body: null,
      headers: { 'X-A': 'b' },
      auth_header: 'X-Key',
      auth_prefix: '',
      results: '',
      fields: { id: 'key', title: 'name', text: 'body', score: '', url: 'link', metadata: '' },
    };
    expect(configOf('http', valuesOf('http', config))).toEqual(config);
  });

  it('keeps the space after a word before the key', () => {
    expect(configOf('http', valuesOf('http')).auth_prefix).toBe('Bearer ');
  });

  it.each(kinds)('has values for every field of %s', (kind) => {
    expect(Object.keys(valuesOf(kind))).toEqual(fieldsOf[kind].map(({ name }) => name));
  });

  it('tells what is wrong before anything is sent', () => {
    expect(faultOf(field('postgres', 'text_columns'), [])).toBe('needed');
    expect(faultOf(field('postgres', 'title_column'), '')).toBeNull();
    expect(faultOf(field('http', 'url'), 'example.org')).toBe('address');
    expect(faultOf(field('http', 'url'), 'https://me:pw@example.org')).toBe('address');
    expect(faultOf(field('http', 'body'), '[1]')).toBe('json');
    expect(faultOf(field('http', 'body'), '')).toBeNull();
  });

  it('finds the field a complaint of the server is about', () => {
    const fields = [
      { field: 'fields.title', reason: 'too long' },
      { field: 'url', reason: 'no match' },
      { field: 'unheard.of', reason: 'x' },
    ];
    expect(serverFaults('http', { fields })).toEqual({ field_title: 'too long', url: 'no match' });
    expect(serverFaults('http', {})).toEqual({});
  });
});
