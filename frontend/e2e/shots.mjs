/** Takes the given views at both widths, in both languages, light and dark, for people to look at. */
import { join } from 'node:path';
import { newPage } from './harness.mjs';

const widths = { 1440: 900, 390: 844 };

export async function takeShots(browser, url, state, views, folder) {
  const languages = process.env.REFDESK_SHOT_LANGUAGES?.split(',') ?? ['en', 'zh'];
  const schemes = process.env.REFDESK_SHOT_SCHEMES?.split(',') ?? ['light', 'dark'];
  for (const language of languages) {
    for (const colorScheme of schemes) {
      for (const [width, height] of Object.entries(widths)) {
        const narrow = width === '390';
        const page = await newPage(browser, url, {
          storageState: state,
          locale: language === 'zh' ? 'zh-CN' : 'en-GB',
          colorScheme,
          viewport: { width: Number(width), height },
          hasTouch: narrow,
        });
        page.setDefaultTimeout(15_000);
        // What was signed in with keeps its language; the picture's own comes first.
        await page.addInitScript((value) => localStorage.setItem('refdesk-language', value), language);
        let inWorkspace = null;
        for (const [name, path, act, workspace = null] of views) {
          if (workspace !== inWorkspace) {
            await page.goto(path);
            await page.evaluate(
              (id) =>
                id
                  ? localStorage.setItem('refdesk-workspace', id)
                  : localStorage.removeItem('refdesk-workspace'),
              workspace,
            );
            inWorkspace = workspace;
          }
          await page.goto(path);
          await page.waitForLoadState('networkidle', { timeout: 2500 }).catch(() => undefined);
          if (act) {
            try {
              await act(page, Number(width));
            } catch (error) {
              console.log(`${name} ${width} ${language}: ${String(error).split('\n')[0]}`);
            }
          }
          await page.waitForTimeout(350);
          await page.screenshot({ path: join(folder, `${name}-${width}-${language}-${colorScheme}.png`) });
        }
        if (page.problems.length > 0) console.log(width, language, colorScheme, page.problems);
        await page.context().close();
      }
    }
  }
}
