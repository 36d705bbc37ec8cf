/**
 * npm run bench:pages: opens every page of the service on a phone and on a desktop. Runs Lighthouse, then axe in light
 * and dark mode, and measures how soon Swagger UI shows an operation. Exits with 1 if accessibility or best practices
 * are below 1.00, if performance is below 0.95, if axe finds a problem, or if Swagger UI needs more than a second. SEO
 * is not measured, because search engines should not find these pages.
 *
 *   CHROMIUM_PATH=/usr/bin/chromium npm run bench:pages [page]
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import lighthouse, { desktopConfig } from 'lighthouse';
import { launch } from 'puppeteer-core';
import { machine, openAccount, withServers } from './bench/servers.mjs';

const least = { accessibility: 1, 'best-practices': 1, performance: 0.95 };
const categories = Object.keys(least);
const types = ['offer', 'event', 'generic', 'membership'];
const devices = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } };
const LONGEST_START_MS = 1000;
const [, , only] = process.argv;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const executablePath = process.env.CHROMIUM_PATH ?? found(['chromium', 'chromium-browser', 'google-chrome']);
if (!executablePath) {
  console.error('Chromium is not installed; name it in CHROMIUM_PATH.');
  process.exit(1);
}

await withServers(async (servers) => {
  const service = await servers.startService();
  const browser = await launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  servers.onStop(() => browser.close());
  console.log(`\nLighthouse, axe, ${await browser.version()}, ${machine}\n`);
  const account = await openAccount(service);
  const all = Object.entries(await pagesOf(account, service.url));
  const pages = all.filter(([name]) => only === undefined || name === only);
  for (const [name, { path, isMissing = false }] of pages) {
    for (const device of Object.keys(devices)) {
      // Lighthouse does not measure a page that reports an error.
      if (!isMissing) await audit(browser, service.url + path, name, device);
      await check(browser, service.url + path, name, device);
    }
  }
  if (only === undefined || only === 'docs') await timeOperations(browser, service.url);
});

/**
 * Creates an account, passes and links for the pages to show.
 * @returns the paths of the pages by name
 */
async function pagesOf({ call, key }, baseUrl) {
  const pages = {};
  /** @type {string[]} */
  const passes = [];
  for (const type of types) {
    const { pathname } = new URL(await aPass(call, baseUrl, type));
    pages[type] = { path: pathname };
    passes.push(pathname);
  }
  const [, , accountId] = passes[0].split('/');
  const ids = passes.map((path) => path.split('/').slice(3).join(':'));
  const gone = new URL(await aPass(call, baseUrl, 'offer')).pathname;
  const headers = { Authorization: `Bearer ${key}` };
  await fetch(`${baseUrl}/v1/pass/${gone.split('/').slice(3).join('/')}`, { method: 'DELETE', headers });
  return {
    ...pages,
    bundle: { path: `/p/${accountId}/bundle?${ids.map((id) => `pass=${id}`).join('&')}` },
    deleted: { path: gone, isMissing: true },
    start: { path: '/' },
    missing: { path: '/nothing', isMissing: true },
    guides: { path: '/guides' },
    errors: { path: '/guides/errors' },
    password: { path: '/password/forgot' },
    workbench: { path: '/workbench' },
    docs: { path: '/docs' },
    operations: { path: '/docs#/messages' },
  };
}

/** Prints a line of scores, and below it each audit without a full score. */
async function audit(browser, url, name, device) {
  const lhr = await measured(browser, url, device);
  const scores = categories.map((id) => [id, lhr.categories[id].score ?? 0]);
  const line = scores.map(([id, score]) => `${id} ${score.toFixed(2)}`).join('   ');
  console.log(`${`${name}, ${device}`.padEnd(22)}${line}`);
  for (const id of categories) {
    for (const { id: audited, weight } of lhr.categories[id].auditRefs) {
      const { score, title, displayValue = '', errorMessage } = lhr.audits[audited];
      if (errorMessage) console.log(`          ${title}: ${errorMessage}`);
      else if (weight > 0 && score < 0.9) console.log(`    ${score.toFixed(2)}  ${title} ${displayValue}`);
    }
  }
  if (scores.some(([id, score]) => score < least[id])) process.exitCode = 1;
}

/** Measures a page. Repeats the measurement if it is incomplete, which happens on a busy machine. */
async function measured(browser, url, device, triesLeft = 2) {
  const page = await browser.newPage();
  const config = device === 'desktop' ? desktopConfig : undefined;
  const { lhr } = await lighthouse(url, { onlyCategories: categories, logLevel: 'silent' }, config, page);
  await page.close();
  const isWhole = categories.every((id) => lhr.categories[id].score !== null);
  return isWhole || triesLeft === 0 ? lhr : measured(browser, url, device, triesLeft - 1);
}

/** Runs axe in light and dark mode, and prints the problems that it finds. */
async function check(browser, url, name, device) {
  const findings = [];
  for (const value of ['light', 'dark']) {
    const page = await browser.newPage();
    await page.setViewport(devices[device]);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    await page.goto(url, { waitUntil: 'networkidle0' });
    // Inject axe through the browser's debugging protocol, because the page's content security policy would block it.
    await page.evaluate(axe);
    const { violations } = await page.evaluate('axe.run()');
    findings.push(...violations.map(({ id, nodes }) => `${value}: ${id}, ${nodes.length}: ${nodes[0].html}`));
    await page.close();
  }
  console.log(`${`${name}, ${device}`.padEnd(22)}axe ${findings.length}`);
  for (const finding of findings) console.log(`    ${finding}`);
  if (findings.length > 0) process.exitCode = 1;
}

/** Measures five times, with an empty cache, how soon Swagger UI shows its groups and an operation. */
async function timeOperations(browser, baseUrl) {
  for (const [what, path, selector] of [
    ['groups', '/docs', '.opblock-tag'],
    ['an operation', '/docs#/passes/createPass', '.opblock.is-open .opblock-summary'],
  ]) {
    const times = [];
    for (let run = 0; run < 5; run++) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.setViewport(devices.desktop);
      const begun = performance.now();
      await page.goto(baseUrl + path, { waitUntil: 'domcontentloaded' });
      await page.waitForSelector(selector, { visible: true });
      times.push(Math.round(performance.now() - begun));
      await context.close();
    }
    times.sort((one, other) => one - other);
    console.log(`docs: ${what} after ${times[2]} ms (${times[0]} to ${times[4]})`);
    if (times[2] > LONGEST_START_MS) process.exitCode = 1;
  }
}

/**
 * Issues a pass with all images, four front fields and one back field.
 * @returns the address of its page
 */
async function aPass(call, baseUrl, type) {
  const sample = (name) => `${baseUrl}/images/samples/${name}.png`;
  const labelled = type === 'generic' || type === 'membership';
  await call('POST', `/v1/templates/${type}`, {
    type,
    title: 'Autumn concert',
    issuerName: 'Harbour Hall',
    foregroundColor: '#ffffff',
    backgroundColor: '#1f2a44',
    labelColor: '#f2c14e',
    ...Object.fromEntries(['icon', 'logo', 'banner', 'background'].map((name) => [name, sample(name)])),
    ...(type === 'generic' && { thumbnail: sample('thumbnail') }),
    ...(labelled && { primaryLabel: 'Member' }),
    ...(type === 'event' && {
      startDate: '2190-05-01T18:00:00.000Z',
      location: { name: 'Harbour Hall', address: 'Quay 1, Hamburg', latitude: 53.5413, longitude: 9.9841 },
    }),
    fields: ['Row', 'Seat', 'Gate', 'Level'].map((label, at) => ({ key: label, label, value: String(at) })),
    backFields: [{ key: 'help', label: 'Help', value: 'https://help.example/' }],
  });
  const { webUrl } = await call('POST', `/v1/pass/${type}`, labelled ? { primaryValue: 'Ada Lovelace' } : {});
  return webUrl;
}

function found(names) {
  const dirs = (process.env.PATH ?? '').split(':');
  return dirs.flatMap((dir) => names.map((name) => join(dir, name))).find((path) => existsSync(path));
}
