/**
 * npm run bench:pages: runs Lighthouse on the web view of a pass of each type and on the workbench, on a phone and on a
 * desktop. Exits with 1 if accessibility, best practices or performance is below 0.95. SEO is not measured, because
 * search engines should not find these pages.
 *
 *   CHROMIUM_PATH=/usr/bin/chromium npm run bench:pages [type]
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import lighthouse, { desktopConfig } from 'lighthouse';
import { launch } from 'puppeteer-core';
import { machine, openAccount, withServers } from './bench/servers.mjs';

const least = 0.95;
const categories = ['accessibility', 'best-practices', 'performance'];
const types = process.argv[2] ? [process.argv[2]] : ['offer', 'event', 'generic', 'membership'];

const executablePath = process.env.CHROMIUM_PATH ?? found(['chromium', 'chromium-browser', 'google-chrome']);
if (!executablePath) {
  console.error('Chromium is not installed; name it in CHROMIUM_PATH.');
  process.exit(1);
}

await withServers(async (servers) => {
  const service = await servers.startService();
  const browser = await launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  servers.onStop(() => browser.close());
  console.log(`\nLighthouse, ${await browser.version()}, ${machine}\n`);
  const { call } = await openAccount(service);
  for (const type of types) {
    const { pathname } = new URL(await aPass(call, service.url, type));
    for (const device of ['phone', 'desktop']) await audit(browser, `${service.url}${pathname}`, type, device);
  }
  for (const device of ['phone', 'desktop']) await audit(browser, `${service.url}/workbench`, 'workbench', device);
});

/** Prints a line of scores, and below it each audit without a full score. */
async function audit(browser, url, type, device) {
  const lhr = await measured(browser, url, device);
  const scores = categories.map((id) => [id, lhr.categories[id].score ?? 0]);
  const line = scores.map(([id, score]) => `${id} ${score.toFixed(2)}`).join('   ');
  console.log(`${`${type}, ${device}`.padEnd(22)}${line}`);
  for (const id of categories) {
    for (const { id: name, weight } of lhr.categories[id].auditRefs) {
      const { score, title, displayValue = '', errorMessage } = lhr.audits[name];
      if (errorMessage) console.log(`          ${title}: ${errorMessage}`);
      else if (weight > 0 && score < 0.9) console.log(`    ${score.toFixed(2)}  ${title} ${displayValue}`);
    }
  }
  if (scores.some(([, score]) => score < least)) process.exitCode = 1;
}

/** Measures a page. Repeats the measurement if its trace lacks a value, which happens on a busy machine. */
async function measured(browser, url, device, triesLeft = 2) {
  const page = await browser.newPage();
  const config = device === 'desktop' ? desktopConfig : undefined;
  const { lhr } = await lighthouse(url, { onlyCategories: categories, logLevel: 'silent' }, config, page);
  await page.close();
  const isWhole = categories.every((id) => lhr.categories[id].score !== null);
  return isWhole || triesLeft === 0 ? lhr : measured(browser, url, device, triesLeft - 1);
}

/** Issues a pass with all images, four fields and a back. @returns the address of its page */
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
