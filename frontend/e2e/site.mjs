/** A small web site on loopback, to be read as a source: pages that link to each other, one that fails. */
import { createServer } from 'node:http';

const page = (title, body) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><nav>Menu</nav><main><h1>${title}</h1>${body}</main></body></html>`;

export async function startSite() {
  const site = {
    pages: {
      '/guide/': page(
        'Lamp guide',
        '<p>The Vermeer lamp is filled with rapeseed oil each evening before the readers come.</p>' +
          '<p><a href="/guide/wicks.html">Wicks</a> <a href="/guide/broken.html">Broken</a></p>',
      ),
      '/guide/wicks.html': page(
        'Wicks',
        '<p>A wick of braided cotton lasts for forty nights of reading.</p>',
      ),
    },
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://site').pathname;
    const body = site.pages[path];
    if (path === '/guide/broken.html') {
      response.writeHead(500).end('no');
    } else if (body === undefined) {
      response.writeHead(404).end('nothing here');
    } else {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(body);
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  site.url = `http://127.0.0.1:${server.address().port}/guide/`;
  site.stop = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
  return site;
}
