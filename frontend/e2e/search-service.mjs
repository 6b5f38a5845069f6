/** A small search service on loopback, to be connected as an external source; wants a key, counts words. */
import { createServer } from 'node:http';

const articles = [
  {
    id: 'returns',
    title: 'Returning goods',
    body: 'Goods may be returned within thirty days, in their box and with the receipt.',
    link: 'https://shop.example.org/returns',
    facts: { department: 'sales', year: 2026 },
  },
  {
    id: 'repairs',
    title: 'Repairs',
    body: 'A lamp that flickers is repaired free of charge for two years.',
    link: 'javascript:alert(1)',
    facts: { department: 'workshop' },
  },
  { id: 'annual', title: '年假规定', body: '员工每年享有十五天年假，未用完的年假可以结转。', facts: {} },
];

export const serviceKey = 'open sesame';

export async function startSearchService() {
  const server = createServer(async (request, response) => {
    if (request.headers.authorization !== `Bearer ${serviceKey}`) {
      response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error": "who are you?"}');
      return;
    }
    let text = '';
    for await (const chunk of request) text += chunk;
    const { q, size } = JSON.parse(text);
    const words = q.toLowerCase().split(/\s+/);
    const hits = articles
      .map((article) => {
        const whole = `${article.title} ${article.body}`.toLowerCase();
        return { ...article, rank: words.filter((word) => whole.includes(word)).length / words.length };
      })
      .filter(({ rank }) => rank > 0)
      .sort((a, b) => b.rank - a.rank)
      .slice(0, size);
    response
      .writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' })
      .end(JSON.stringify({ data: { hits } }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref(); // who forgets to stop it is not kept from ending
  return {
    url: `http://127.0.0.1:${server.address().port}/search`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

/** The settings with which the service is asked. */
export const serviceConfig = (url) => ({
  url,
  body: { q: '{query}', size: '{top_k}' },
  results: 'data.hits',
  fields: { id: 'id', title: 'title', text: 'body', score: 'rank', url: 'link', metadata: 'facts' },
});
