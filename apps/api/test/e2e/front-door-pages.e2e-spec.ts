import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { ReadinessService } from '../../src/health/readiness.service.js';
import { axeViolations, loadAxe } from '../support/axe.js';
import { chromiumPath, openBrowser, watchedPage, type WatchedPage } from '../support/chromium.js';
import { RunningService } from '../support/running-service.js';

const origin = 'http://passes.localhost';
const chromium = chromiumPath();
if (!chromium) process.stderr.write('Chromium is not installed: pages are not shown to it here (set CHROMIUM_PATH)\n');
/** The folder in which to save a screenshot of each page. Without it, no screenshots are saved. */
const { SCREENSHOTS } = process.env;
if (SCREENSHOTS) mkdirSync(SCREENSHOTS, { recursive: true });

(chromium ? describe : describe.skip)('the front door in a browser', () => {
  let service: RunningService;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    service = await RunningService.start({ BASE_URL: origin });
    browser = await openBrowser(chromium ?? '', service);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    watched = await watchedPage(browser);
    page = watched.page;
  });
  afterEach(async () => {
    await page.close();
    jest.restoreAllMocks();
    expect([...watched.origins]).toEqual([origin]);
  });

  /** Checks that the open page suits people who need large text, a dark screen or a screen reader. */
  async function expectAccessible(name: string): Promise<void> {
    await loadAxe(page);
    for (const [width, height] of [
      [320, 568],
      [390, 844],
      [1280, 800],
    ] as const) {
      await page.setViewport({ width, height });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      for (const value of ['light', 'dark']) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
        const violations = await axeViolations(page);
        expect(violations.map(({ id, nodes }) => [id, value, width, ...nodes.map(({ html }) => html)])).toEqual([]);
        const path = SCREENSHOTS && join(SCREENSHOTS, `${name}-${width}-${value}.png`);
        if (path) await page.screenshot({ path, fullPage: true });
      }
    }
  }

  it('the start page is accessible on phone and desktop, in light and dark mode, and shows its icon', async () => {
    await page.goto(origin);
    expect(await page.title()).toBe('Passwright');
    expect(await page.$eval('.brand img', ({ naturalWidth }) => naturalWidth)).toBeGreaterThan(0);
    await expectAccessible('start');
    expect(watched.said).toEqual([]);
  });

  it.each([
    ['guides', '/guides', 'All documents'],
    ['guide', '/guides/webhooks', 'Webhooks'],
    ['guide-search', '/guides/search?q=secret', 'Search'],
  ])('the page %s is accessible on phone and desktop, in light and dark mode', async (name, path, heading) => {
    await page.goto(`${origin}${path}`);
    expect(await page.$eval('h1', (element) => element.textContent)).toBe(heading);
    await expectAccessible(name);
    expect(watched.said).toEqual([]);
  });

  it('a reader searches the guides by keyboard', async () => {
    await page.goto(`${origin}/guides`);
    await page.focus('input[type=search]');
    await page.keyboard.type('rotate secret');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(new URL(page.url()).search).toBe('?q=rotate+secret');
    await Promise.all([page.waitForNavigation(), page.click('.results a')]);
    expect(page.url()).toMatch(/\/guides\/webhooks#/);
  });

  it('the start page of a service that is not ready is accessible', async () => {
    jest.spyOn(service.app.get(ReadinessService), 'problem').mockResolvedValue('The database is away; see the logs.');
    await page.goto(origin);
    await expectAccessible('not-ready');
  });

  it('Tab reaches every link of the start page, and Enter opens the operation of the first step', async () => {
    await page.goto(origin);
    const links = await page.$$eval('a', (found) => found.map(({ href }) => href));
    const reached = [];
    for (let presses = 0; presses < links.length; presses++) {
      await page.keyboard.press('Tab');
      reached.push(
        await page.evaluate(() => {
          const { href } = document.activeElement as HTMLAnchorElement;
          const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement as HTMLElement);
          return { href, isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
        }),
      );
    }
    expect(reached).toEqual(links.map((href) => ({ href, isSeen: true })));
    await page.focus('.steps a');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.opblock.is-open .request-sample pre');
    expect(await page.$eval('.opblock.is-open', ({ id }) => id)).toBe('operations-auth-register');
  }, 60_000);

  it.each([
    ['not-found', '/there/is/nothing', 'There is nothing here'],
    ['sign-in', '/v1/templates', 'This needs a sign-in'],
    ['method', '/v1/auth/login', 'A browser cannot open this'],
    ['holder', '/v1/pass/acc/offer/ada/walletA', 'There is no pass here'],
  ])('the error page %s is accessible on phone and desktop, in light and dark mode', async (name, path, heading) => {
    await page.goto(`${origin}${path}`);
    expect(await page.$eval('h1', (element) => element.textContent)).toBe(heading);
    await expectAccessible(name);
    // Ignore the browser's own message about the status.
    expect(watched.said.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  });

  it('a reader can try again after an error, and return from an unknown address to the start page', async () => {
    const check = jest.spyOn(service.app.get(ReadinessService), 'check').mockRejectedValueOnce(new Error('a fault'));
    await page.goto(`${origin}/health/ready`);
    expect(await page.$eval('h1', (element) => element.textContent)).toBe('Something went wrong');
    await expectAccessible('error');
    const pressed = async (selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);
    const [again] = await pressed('.button');
    expect([again?.status(), check.mock.calls.length]).toEqual([200, 2]);
    await page.goto(`${origin}/there/is/nothing`);
    await pressed('.button');
    expect(page.url()).toBe(`${origin}/`);
  });
});
