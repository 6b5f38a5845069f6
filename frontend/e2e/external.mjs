/** External sources for pictures: one that answers as long as this process lives, one that does not. */
import { call } from './harness.mjs';
import { serviceConfig, serviceKey, startSearchService } from './search-service.mjs';

export async function connectSources(page) {
  const service = await startSearchService();
  const connect = async (body) => {
    const source = await call(page, 'POST', '/external-sources', body);
    await call(page, 'POST', `/external-sources/${source.id}/check`);
  };
  await connect({
    name: 'Shop help centre 商城帮助中心',
    kind: 'http',
    config: serviceConfig(service.url),
    credential: serviceKey,
  });
  await connect({
    name: 'Archive of the old catalogue',
    kind: 'postgres',
    config: {
      host: '127.0.0.1',
      port: 9,
      database: 'catalogue',
      user: 'reader',
      table: 'articles',
      id_column: 'id',
      text_columns: ['body'],
    },
    credential: 'nothing to see',
  });
}

const externalPath = '/settings?section=sources';
const press = (view) => view.getByRole('button', { name: /^(Connect a source|连接数据源)$/ }).click();
const choose = (kind) => async (view) => {
  await press(view);
  await view.getByRole('combobox').first().click();
  await view.getByRole('option', { name: kind }).click();
};

/** As `views` of `furnish`; `branch` is a workspace without sources. */
export function externalViews(branch) {
  return [
    ['external', externalPath],
    ['external-form', externalPath, press],
    ['external-table', externalPath, choose('PostgreSQL')],
    ['external-missing', externalPath, choose('Weaviate')],
    [
      'external-search',
      externalPath,
      async (view) => {
        const shop = view.getByRole('article', { name: /^Shop help centre/ });
        await shop.getByRole('button', { name: /^(Search in |在 Shop)/ }).click();
        await shop.getByRole('textbox').fill('goods receipt lamp 年假');
        await view.keyboard.press('Enter');
        await shop.getByRole('article').first().waitFor();
      },
    ],
    ['external-none', externalPath, null, branch],
  ];
}
