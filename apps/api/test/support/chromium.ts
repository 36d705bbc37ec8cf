import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, launch, type Page } from 'puppeteer-core';
import type { RunningService } from './running-service.js';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser that is installed here: the one of `CHROMIUM_PATH`, else the first that is found by name; null when none is. */
export function chromiumPath(): string | null {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  const candidates = PATH.split(':').flatMap((dir) => names.map((name) => join(dir, name)));
  return candidates.find((path) => existsSync(path)) ?? null;
}

/** Whether a program answers at all. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A browser that finds the service under its public address, and no other host at all. */
export function openBrowser(executablePath: string, { baseUrl }: RunningService): Promise<Browser> {
  const { host } = new URL(baseUrl);
  return launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      `--host-resolver-rules=MAP passes.localhost ${host}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
    ],
  });
}

/** A page of the browser, with all that it says and asks for. */
export interface WatchedPage {
  readonly page: Page;
  /** Messages of the console and uncaught errors. */
  readonly said: string[];
  /** Where it sent requests to. */
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
