import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, launch, type Page } from 'puppeteer-core';
import type { RunningService } from './running-service.js';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Finds the browser: `CHROMIUM_PATH`, or the first one in the path. Returns null if there is none. */
export function chromiumPath(): string | null {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  const candidates = PATH.split(':').flatMap((dir) => names.map((name) => join(dir, name)));
  return candidates.find((path) => existsSync(path)) ?? null;
}

/** Returns true if a program is in the path. */
export function isInstalled(program: string): boolean {
  const { PATH = '' } = process.env;
  return PATH.split(':').some((dir) => existsSync(join(dir, program)));
}

/** Opens a browser that can reach only the service's public address. */
export function openBrowser(executablePath: string, { baseUrl }: RunningService): Promise<Browser> {
  const { host } = new URL(baseUrl);
  return launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      // Disable the pages of the address bar, which take a quarter of the processor time of a start.
      '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
      `--host-resolver-rules=MAP passes.localhost ${host}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
    ],
  });
}

/** A browser page with its messages and requests. */
export interface WatchedPage {
  readonly page: Page;
  /** Console messages and uncaught errors. */
  readonly said: string[];
  /** The origins that the page has sent requests to. */
  readonly origins: Set<string>;
}

export async function watchedPage(browser: Browser): Promise<WatchedPage> {
  const page = await browser.newPage();
  const watched: WatchedPage = { page, said: [], origins: new Set() };
  page.on('console', (message) => watched.said.push(message.text()));
  page.on('pageerror', (error) => watched.said.push(String(error)));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:') watched.origins.add(origin);
  });
  return watched;
}
