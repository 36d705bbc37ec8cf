import { readFileSync } from 'node:fs';
import type { Result } from 'axe-core';
import type { Page } from 'puppeteer-core';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Loads axe into a page through the browser's protocol, which the page's policy does not restrict. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axe);
}

/**
 * Returns the accessibility problems of a page that has loaded axe. Leaves out axe's descriptions of all elements
 * without a problem, which take as much processor time as the checks.
 */
export async function axeViolations(page: Page): Promise<Result[]> {
  const run = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`;
  return (await page.evaluate(run)) as Result[];
}
