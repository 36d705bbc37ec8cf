import { readFileSync } from 'node:fs';
import type { Result } from 'axe-core';
import type { Page } from 'puppeteer-core';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Loads axe into a page by the browser's protocol, to which the page's policy does not apply. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axe);
}

/**
 * Returns the accessibility problems of a page with axe. Leaves out elements without a problem, because describing them
 * takes long.
 */
export async function axeViolations(page: Page): Promise<Result[]> {
  const run = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`;
  return (await page.evaluate(run)) as Result[];
}
