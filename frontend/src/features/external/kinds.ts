/** What the form asks of each kind of source: the server's settings (docs/external-sources.md) as fields. */

export const kinds = ['http', 'postgres', 'mariadb', 'milvus', 'chroma', 'weaviate'] as const;
export type Kind = (typeof kinds)[number];

type FieldName =
  | 'url'
  | 'uri'
  | 'host'
  | 'port'
  | 'database'
  | 'user'
  | 'table'
  | 'id_column'
  | 'title_column'
  | 'text_columns'
  | 'url_column'
  | 'metadata_columns'
  | 'schema_name'
  | 'language'
  | 'vector_column'
  | 'allow_sql'
  | 'collection'
  | 'db_name'
  | 'tenant'
  | 'grpc_host'
  | 'grpc_port'
  | 'grpc_secure'
  | 'method'
  | 'params'
  | 'body'
  | 'headers'
  | 'auth_header'
  | 'auth_prefix'
  | 'results'
  | 'field_id'
  | 'field_title'
  | 'field_text'
  | 'field_score'
  | 'field_url'
  | 'field_metadata';

export interface Field {
  name: FieldName;
  /** `list`: names, one a tag. `json`: an object that is written as such. `raw`: spaces count. */
  type: 'text' | 'raw' | 'address' | 'number' | 'list' | 'json' | 'switch' | 'method';
  initial: string | number | boolean | string[];
  required?: boolean;
  /** Folded away: most do not need it. */
  more?: boolean;
  example?: string;
  /** Where it stands in the settings, if not under its name. */
  path?: [string, string];
}

const text = (name: FieldName, more: Partial<Field> = {}): Field => ({
  name,
  type: 'text',
  initial: '',
  ...more,
});

const table = (port: number): Field[] => [
  text('host', { required: true, example: 'db.example.org' }),
  text('port', { type: 'number', initial: port, required: true }),
  text('database', { required: true }),
  text('user', { required: true, example: 'reader' }),
  text('table', { required: true, example: 'articles' }),
  text('id_column', { required: true, initial: 'id' }),
  text('title_column', { example: 'title' }),
  text('text_columns', { type: 'list', initial: [], required: true, example: 'body' }),
  text('url_column', { example: 'link' }),
  text('metadata_columns', { type: 'list', initial: [], example: 'department' }),
];

const result = (name: 'id' | 'title' | 'text' | 'score' | 'url' | 'metadata', initial = ''): Field =>
  text(`field_${name}`, { initial, path: ['fields', name] });

export const fieldsOf: Record<Kind, Field[]> = {
  http: [
    text('url', { type: 'address', required: true, example: 'https://search.example.org/api' }),
    text('method', { type: 'method', initial: 'POST' }),
    text('body', { type: 'json', initial: '{\n  "query": "{query}",\n  "top_k": "{top_k}"\n}' }),
    text('params', { type: 'json', initial: '{}' }),
    text('results', { initial: 'results' }),
    result('id', 'id'),
    result('title', 'title'),
    result('text', 'text'),
    result('score'),
    result('url'),
    result('metadata'),
    text('headers', { type: 'json', initial: '{}', more: true }),
    text('auth_header', { initial: 'Authorization', more: true, required: true }),
    text('auth_prefix', { type: 'raw', initial: 'Bearer ', more: true }),
  ],
  postgres: [
    ...table(5432),
    text('schema_name', { initial: 'public', required: true, more: true }),
    text('language', { initial: 'simple', required: true, more: true }),
    text('vector_column', { more: true }),
    text('allow_sql', { type: 'switch', initial: false, more: true }),
  ],
  mariadb: table(3306),
  milvus: [
    text('uri', { type: 'address', required: true, example: 'https://milvus.example.org:19530' }),
    text('collection', { required: true, example: 'papers' }),
    text('db_name', { initial: 'default', required: true, more: true }),
  ],
  chroma: [
    text('url', { type: 'address', required: true, example: 'https://chroma.example.org' }),
    text('collection', { required: true, example: 'papers' }),
    text('tenant', { initial: 'default_tenant', required: true, more: true }),
    text('database', { initial: 'default_database', required: true, more: true }),
  ],
  weaviate: [
    text('url', { type: 'address', required: true, example: 'https://weaviate.example.org' }),
    text('collection', { required: true, example: 'Papers' }),
    text('grpc_host', { more: true }),
    text('grpc_port', { type: 'number', initial: 50_051, required: true, more: true }),
    text('grpc_secure', { type: 'switch', initial: false, more: true }),
  ],
};
