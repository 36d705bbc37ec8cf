/**
 * npm run docs:draw: takes the screenshot docs/images/web-view.png, which shows the page of the quick start on a phone.
 *
 *   CHROMIUM_PATH=/usr/bin/chromium npm run docs:draw
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { launch } from 'puppeteer-core';
import { openAccount, withServers } from './bench/servers.mjs';
import { root } from './install.mjs';

const fromRenderers = createRequire(join(root, 'libs/rendering/wallet-renderers/package.json'));
const fonts = dirname(fromRenderers.resolve('roboto-fontface/fonts/roboto/Roboto-Bold.woff'));
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 ' +
  'Mobile/15E148 Safari/604.1';

await withServers(async (servers) => {
  const service = await servers.startService();
  const browser = await launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  servers.onStop(() => browser.close());
  const { call } = await openAccount(service);
  const sample = (name) => `${service.url}/images/samples/${name}.png`;
  await call('POST', '/v1/templates/gold-club', {
    type: 'membership',
    title: 'Gold Club',
    issuerName: 'Analytical Engines',
    foregroundColor: '#ffffff',
    backgroundColor: '#1f2a44',
    ...Object.fromEntries(['icon', 'logo', 'banner'].map((name) => [name, sample(name)])),
    primaryLabel: 'Member',
  });
  const { webUrl } = await call('POST', '/v1/pass/gold-club', { primaryValue: 'Ada Lovelace' });
  const page = await browser.newPage();
  await page.setUserAgent({ userAgent: iphone });
  await page.setViewport({ width: 390, height: 600, deviceScaleFactor: 2 });
  // Bypass the content security policy, because it allows only the page's own style sheets.
  await page.setBypassCSP(true);
  await page.goto(webUrl, { waitUntil: 'networkidle0' });
  await page.addStyleTag({ content: typeface() });
  await page.evaluate('document.fonts.ready');
  await page.screenshot({
    path: /** @type {`${string}.png`} */ (join(root, 'docs/images/web-view.png')),
    fullPage: true,
  });
});

/** Returns a style sheet that gives the picture the same typeface on every machine. */
function typeface() {
  const faces = [400, 500, 700].map((weight) => {
    const name = { 400: 'Regular', 500: 'Medium', 700: 'Bold' }[weight];
    const font = readFileSync(join(fonts, `Roboto-${name}.woff2`)).toString('base64');
    return `@font-face { font-family: Roboto; font-weight: ${weight}; src: url(data:font/woff2;base64,${font}); }`;
  });
  return `${faces.join('\n')}\nbody { font-family: Roboto; }`;
}
