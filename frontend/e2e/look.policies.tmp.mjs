import { after, before, describe } from 'node:test';
import { createAdministrator, newPage, startBrowser, startServer } from '/work/main/frontend/e2e/harness.mjs';
import { policies } from '/work/main/frontend/e2e/stories/policies.mjs';
const desk = {};
describe('look', { timeout: 400_000 }, () => {
  before(async () => {
    desk.server = await startServer();
    desk.url = desk.server.url;
    desk.browser = await startBrowser();
    const page = await newPage(desk.browser, desk.url);
    await createAdministrator(page, desk.server.token);
    desk.state = await page.context().storageState();
  });
  after(async () => { await desk.browser.close(); await desk.server.stop(); });
  policies(desk);
});
