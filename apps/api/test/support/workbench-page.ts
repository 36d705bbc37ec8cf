import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { axeViolations, loadAxe } from './axe.js';
import { watchedPage, type WatchedPage } from './chromium.js';
import { RunningService, type Account } from './running-service.js';

/** The public address of the service, which the browser can resolve. */
export const origin = 'http://passes.localhost';
export const workbench = `${origin}/workbench`;

/** Images for a template, from the service's samples. */
export const sampleImages = Object.fromEntries(
  ['icon', 'logo', 'banner'].map((name) => [name, `${origin}/images/samples/${name}.png`]),
);

/** The folder in which to save a screenshot of each screen. Without it, no screenshots are saved. */
const { SCREENSHOTS } = process.env;
if (SCREENSHOTS) mkdirSync(SCREENSHOTS, { recursive: true });

/** Starts a service with a workbench, which it builds first. */
export function startWithWorkbench(environment: Record<string, string> = {}): Promise<RunningService> {
  // This build takes less than a second.
  execFileSync(process.execPath, [resolve(__dirname, '../../../workbench/build.mjs')]);
  return RunningService.start({ BASE_URL: origin, ...environment });
}

/** Uses the workbench by keyboard. */
export class WorkbenchPage {
  readonly page: Page;

  private constructor(readonly watched: WatchedPage) {
    this.page = watched.page;
  }

  /** Opens an empty page, by default of the size of a desktop. */
  static async open(browser: Browser, size = { width: 1280, height: 900 }): Promise<WorkbenchPage> {
    const person = new WorkbenchPage(await watchedPage(browser));
    await person.page.setViewport(size);
    return person;
  }

  /**
   * Closes the page.
   * @throws if it has reported an error
   */
  async close(): Promise<void> {
    await this.page.close();
    // Ignore the browser's own reports about errors of the API.
    expect(this.watched.said.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  }

  /** Opens the workbench and signs in by password. @param at the fragment of the screen */
  async signIn({ email, password }: Account, at = ''): Promise<void> {
    await this.page.goto(workbench + at);
    await this.fill('E-mail', email);
    await this.fill('Password', password);
    await this.page.keyboard.press('Enter');
    await this.page.waitForSelector('nav');
  }

  /** Opens another screen of the session. */
  async open(at: string): Promise<void> {
    await this.page.evaluate((hash) => (location.hash = hash), at);
    await this.page.waitForFunction(() => !document.querySelector('.loading'));
  }

  async heading(text: string): Promise<void> {
    await this.page.waitForSelector(`h1::-p-text(${text})`);
  }

  /** Focuses a button or link and presses Enter. */
  async press(selector: string): Promise<void> {
    const found = await this.page.waitForSelector(selector, { visible: true });
    await found?.focus();
    await this.page.keyboard.press('Enter');
  }

  /** Presses a button that saves a file in a folder. @returns the content of the file */
  async save(button: string, folder: string): Promise<string> {
    const session = await this.page.createCDPSession();
    await session.send('Browser.setDownloadBehavior', {
      ...{ behavior: 'allow', downloadPath: folder, eventsEnabled: true },
    });
    const name = new Promise<string>((found) =>
      session.on('Browser.downloadWillBegin', ({ suggestedFilename }) => found(suggestedFilename)),
    );
    const done = new Promise<void>((completed) =>
      session.on('Browser.downloadProgress', ({ state }) => state === 'completed' && completed()),
    );
    await this.press(`button::-p-text(${button})`);
    await done;
    return readFileSync(join(folder, await name), 'utf8');
  }

  /** Replaces the text of an input. */
  async fill(label: string, text: string): Promise<void> {
    const input = await this.page.waitForSelector(`::-p-aria(${label})`);
    await input?.focus();
    await this.page.keyboard.down('Control');
    await this.page.keyboard.press('A');
    await this.page.keyboard.up('Control');
    await this.page.keyboard.type(text);
  }

  /** Returns the text of an element once it is there. */
  async textOf(selector: string): Promise<string> {
    const found = await this.page.waitForSelector(selector);
    return (await found?.evaluate((element) => element.textContent)) ?? '';
  }

  /** Checks that the screen suits people who need large text, a dark screen or a screen reader. */
  async expectAccessible(name: string): Promise<void> {
    await loadAxe(this.page);
    const problems: unknown[] = [];
    for (const [width, height] of [
      [390, 844],
      [1280, 900],
    ] as const) {
      await this.page.setViewport({ width, height });
      for (const value of ['light', 'dark']) {
        await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
        const path = SCREENSHOTS && join(SCREENSHOTS, `workbench-${name}-${width}-${value}.png`);
        if (path) await this.page.screenshot({ path, fullPage: true });
        const content = (await this.page.evaluate('document.documentElement.scrollWidth')) as number;
        if (content > width) problems.push([name, `${content} pixels are wider than ${width}`]);
        for (const { id, nodes } of await axeViolations(this.page)) {
          problems.push([name, id, value, width, ...nodes.map(({ html }) => html.slice(0, 200))]);
        }
      }
    }
    expect(problems).toEqual([]);
  }
}
