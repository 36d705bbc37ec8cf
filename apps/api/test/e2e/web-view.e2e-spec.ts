import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { barcodeSvg, type Symbology } from '@passwright/wallet-renderers';
import type { Browser, Page } from 'puppeteer-core';
import sharp from 'sharp';
import { axeViolations, loadAxe } from '../support/axe.js';
import { chromiumPath, isInstalled, openBrowser, type WatchedPage, watchedPage } from '../support/chromium.js';
import { type Account, RunningService, type TemplateType, templateTypes } from '../support/running-service.js';

const origin = 'http://passes.localhost';
const chromium = chromiumPath();
const zbarimg = isInstalled('zbarimg');
if (!chromium) process.stderr.write('Chromium is not installed: pages are not shown to it here (set CHROMIUM_PATH)\n');
const zxing = isInstalled('ZXingReader');
if (!zbarimg) process.stderr.write('zbarimg is not installed: barcodes are not read back here\n');
if (!zxing) process.stderr.write('zxing-cpp-tools are not installed: barcodes are not shown to them here\n');

const short = 'HH-2026-42';
const [long, longest] = [150, 442].map((length) =>
  'https://tickets.example.com/check/'.padEnd(length, '7K3MQ9XPZ0'),
) as [string, string];

const dir = mkdtempSync(join(tmpdir(), 'passwright-web-view-'));
afterAll(() => rmSync(dir, { recursive: true }));
// A page that waits for a response looks for changes again only after 15 s.
jest.setTimeout(60_000);

/** Returns the barcodes that the program zbarimg reads in an image. */
function scanned(picture: Uint8Array): string[] {
  const file = join(dir, 'scanned.png');
  writeFileSync(file, picture);
  return execFileSync('zbarimg', ['--quiet', '--raw', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .trim()
    .split('\n');
}

/**
 * Returns the barcodes that the program ZXingReader reads in an image, including Aztec and PDF417.
 * @param options `-noscale` avoids a crash of ZXingReader 1.4 on linear codes
 */
function scannedByZxing(picture: Uint8Array, ...options: string[]): string[] {
  const file = join(dir, 'scanned.png');
  writeFileSync(file, picture);
  const printed = execFileSync('ZXingReader', [...options, file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return [...printed.matchAll(/^Text: +"(.*)"$/gm)].map(([, text]) => text!);
}

describe('barcodes', () => {
  const codes: [Symbology, string][] = [
    ['qr', 'HH-2026-000042'],
    ['qr', 'Zürich 東京 😀'],
    // Without their encoding, scanners guess, and read these codes as Chinese or Japanese.
    ['qr', 'Crème brûlée'],
    ['qr', '¿Qué? ©®£ ^é^^'],
    ['qr', 'é'.repeat(300)],
    ['code128', 'HH-2026-000042'],
  ];
  (zbarimg ? it : it.skip).each(codes)(
    'zbarimg reads a barcode of format %s with the text %s',
    async (symbology, text) => {
      const picture = sharp(Buffer.from(barcodeSvg(symbology, text)), { density: 200 }).flatten({
        background: '#fff',
      });
      expect(scanned(await picture.png().toBuffer())).toEqual([text]);
    },
  );

  // zbarimg could not read these damaged codes at less error correction (level M).
  (zbarimg ? it : it.skip).each([
    ['downwards', 'M14 4L16 14L14 25'],
    ['across', 'M25 13L12 16'],
  ])('zbarimg reads a QR code with a crack that is as wide as a module and runs %s', async (_, crack) => {
    const line = `<path d="${crack}" fill="none" stroke="#fff" stroke-width="1"/></svg>`;
    const code = barcodeSvg('qr', 'HH-2026-000042').replace('</svg>', line);
    const picture = sharp(Buffer.from(code), { density: 400 }).flatten({ background: '#fff' });
    expect(scanned(await picture.png().toBuffer())).toEqual(['HH-2026-000042']);
  });

  // zbarimg could not read these damaged codes at less error correction (level M).
  (zbarimg ? it : it.skip).each([
    ['downwards', 'M26 5L29 26L25 58'],
    ['across', 'M20 40L60 33'],
  ])('zbarimg reads a long QR code with a crack that is as wide as nine modules and runs %s', async (_, crack) => {
    const line = `<path d="${crack}" fill="none" stroke="#fff" stroke-width="9"/></svg>`;
    const picture = sharp(Buffer.from(barcodeSvg('qr', long).replace('</svg>', line)), { density: 700 });
    expect(scanned(await picture.flatten({ background: '#fff' }).png().toBuffer())).toEqual([long]);
  });
});

(chromium ? describe : describe.skip)('the web view in a browser', () => {
  let service: RunningService;
  let account: Account;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    service = await RunningService.start({ BASE_URL: origin });
    account = await service.register();
    browser = await openBrowser(chromium ?? '', service);
    for (const type of templateTypes) await save(type, type, looks[type]);
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
    expect(watched.said).toEqual([]);
    expect([...watched.origins]).toEqual([origin]);
  });

  async function save(type: TemplateType, id: string, look: object): Promise<void> {
    const { status, body } = await account.saveTemplate(type, id, { ...looks[type], ...look });
    expect({ status, message: body.message }).toEqual({ status: 200, message: undefined });
  }

  async function issue(type: TemplateType, body: object = {}): Promise<{ id: string; webUrl: string }> {
    const primary = type === 'generic' || type === 'membership' ? { primaryValue: 'Ada Lovelace' } : {};
    const response = await account.post(`/v1/pass/${type}`, { ...primary, ...body });
    expect(response).toMatchObject({ status: 201 });
    return { id: response.body.pass.id, webUrl: response.body.webUrl };
  }

  async function violations(width: number, height: number, scheme: 'light' | 'dark'): Promise<object[]> {
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    const found = await axeViolations(page);
    return found.map(({ id, nodes }) => ({ id, width, scheme, nodes: nodes.map(({ html }) => html) }));
  }

  /** Adds an expired pass to the group. */
  async function inGroup(): Promise<void> {
    await issue('membership', { group: { id: 'order-1', order: 1 }, expiry: '2020-01-01T00:00:00.000Z' });
  }

  const states: [TemplateType, string, (id: string) => Promise<unknown>, object][] = [
    ['offer', 'redeemed', (id) => account.post(`/v1/pass/offer/${id}/redeem`), {}],
    ['event', 'valid', () => Promise.resolve(), {}],
    ['generic', 'not valid yet', () => Promise.resolve(), { validFrom: '2190-01-01T00:00:00.000Z' }],
    ['membership', 'voided', (id) => account.post(`/v1/pass/membership/${id}/void`), {}],
    ['offer', 'valid for a time', () => Promise.resolve(), { expiry: '2190-01-01T00:00:00.000Z' }],
    ['event', 'expired', () => Promise.resolve(), { expiry: '2020-01-01T00:00:00.000Z' }],
    ['offer', 'in a group', inGroup, { group: { id: 'order-1' } }],
    ['event', 'in a group', inGroup, { group: { id: 'order-1' } }],
  ];

  it.each(states)(
    'a page of type %s that is %s has no accessibility violation on phone and desktop, in light and dark mode',
    async (type, _, then, body) => {
      const { id, webUrl } = await issue(type, body);
      await then(id);
      await page.goto(`${webUrl}?lang=${type === 'event' ? 'ar' : 'en'}`);
      await loadAxe(page);
      const found = [];
      for (const scheme of ['light', 'dark'] as const) {
        found.push(...(await violations(390, 844, scheme)), ...(await violations(1280, 800, scheme)));
      }
      expect(found).toEqual([]);
    },
  );

  it('a template with unreadable colours causes no accessibility violation', async () => {
    await save('offer', 'unreadable', { foregroundColor: '#ddd', backgroundColor: '#fff' });
    await account.post('/v1/pass/unreadable/ada', {});
    await page.goto(`${origin}/p/${account.id}/unreadable/ada`);
    await loadAxe(page);
    expect(await violations(390, 844, 'light')).toEqual([]);
  });

  it('a page fits a width of 320 pixels even with hostile and endless texts, and runs no script from them', async () => {
    const hostile = '<img src=x onerror=alert(1)></style><script>alert(2)</script>';
    const text = `${hostile} ${'x'.repeat(200)}`;
    const field = (key: string) => ({ key, label: hostile, value: text });
    await save('generic', 'hostile', {
      title: hostile.slice(0, 60),
      issuerName: hostile.slice(0, 60),
      primaryLabel: hostile,
      fields: [field('a')],
      backFields: [field('b')],
    });
    const issued = await account.post('/v1/pass/hostile/ada', { primaryValue: text, code: hostile });
    expect(issued.status).toBe(200);
    await page.setViewport({ width: 320, height: 256 });
    await page.goto(`${origin}/p/${account.id}/hostile/ada`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(await page.evaluate('document.querySelectorAll("main img[src=x], script").length')).toBe(1);
    expect(await textOf(page)).toContain(text);
  });

  it('an Arabic page aligns texts of any language on the right', async () => {
    const { webUrl } = await issue('offer');
    await page.goto(`${webUrl}?lang=ar`);
    const sides = await page.$$eval('#back [dir=auto], .fields [dir=auto]', (texts) =>
      texts.map((text) => getComputedStyle(text).textAlign),
    );
    expect([...new Set(sides)]).toEqual(['right']);
  });

  (zbarimg ? it : it.skip)('the page shows a code that a scanner reads from the screen', async () => {
    const { webUrl } = await issue('offer', { code: 'SCAN-ME-42' });
    await page.setViewport({ width: 390, height: 844 });
    await page.goto(webUrl);
    expect(scanned(await page.screenshot({ fullPage: true }))).toContain('SCAN-ME-42');
  });

  (zbarimg ? it : it.skip)(
    'the page shows a Code 128 of the maximum length across the full width of a phone',
    async () => {
      const code = 'The-longest-code-of-a-Code-128-on-a-page';
      await save('offer', 'wide', { codeFormat: 'code128' });
      expect(await account.post('/v1/pass/wide/ada', { code: `${code}!` })).toMatchObject({ status: 400 });
      expect(await account.post('/v1/pass/wide/ada', { code })).toMatchObject({ status: 200 });
      await page.setViewport({ width: 390, height: 844, deviceScaleFactor: 3 });
      await page.goto(`${origin}/p/${account.id}/wide/ada?lang=en`);
      expect(scanned(await page.screenshot({ fullPage: true }))).toContain(code);
      expect(await page.$eval('.pass .qr', (image) => image.getAttribute('aria-label'))).toBe(
        `Barcode of this pass (Code 128): ${code}`,
      );
      await loadAxe(page);
      expect(await violations(390, 844, 'light')).toEqual([]);
    },
  );

  (zbarimg ? it : it.skip).each([
    ['code39', 'HH-2026 42', 'HH-2026 42'],
    ['codabar', '311170', 'A311170A'],
    ['ean13', '4006381333931', '4006381333931'],
    ['itf', '15400141288763', '15400141288763'],
    ['itf', '123456', '123456'],
  ])(
    'a page shows a code of format %s, %j, that a scanner reads from the screen of a phone',
    async (codeFormat, code, read) => {
      await save('offer', codeFormat, { codeFormat });
      expect(await account.post(`/v1/pass/${codeFormat}/${code.length}`, { code })).toMatchObject({ status: 200 });
      await page.setViewport({ width: 390, height: 844, deviceScaleFactor: 3 });
      await page.goto(`${origin}/p/${account.id}/${codeFormat}/${code.length}?lang=en`);
      expect(scanned(await page.screenshot({ fullPage: true }))).toContain(read);
    },
  );

  (zxing ? it : it.skip).each([
    ['qr', short, short],
    ['qr', longest, longest],
    ['pdf417', short, short],
    ['pdf417', long, long],
    ['aztec', short, short],
    ['aztec', long, long],
    ['code128', short, short],
    ['code39', short, short],
    // ZXingReader omits the start and stop letters.
    ['codabar', 'A31117B', '31117'],
    ['ean13', '4006381333931', '4006381333931'],
    ['itf', '15400141288763', '15400141288763'],
  ])('ZXing reads a code of format %s on the screen of a small phone: %j', async (codeFormat, code, read) => {
    await save('offer', `${codeFormat}-zxing`, { codeFormat });
    expect(await account.post(`/v1/pass/${codeFormat}-zxing/${code.length}`, { code })).toMatchObject({ status: 200 });
    await page.setViewport({ width: 320, height: 568, deviceScaleFactor: 3 });
    await page.goto(`${origin}/p/${account.id}/${codeFormat}-zxing/${code.length}?lang=en`);
    const options = ['qr', 'pdf417', 'aztec'].includes(codeFormat) ? [] : ['-noscale'];
    expect(scannedByZxing(await page.screenshot({ fullPage: true }), ...options)).toEqual([read]);
  });

  it('a page shows the same content without JavaScript', async () => {
    const { webUrl } = await issue('event');
    await page.goto(webUrl);
    const text = await textOf(page);
    await page.setJavaScriptEnabled(false);
    await page.reload();
    expect(await textOf(page)).toBe(text);
    expect(text).toContain('Harbour Hall');
  });

  it('a page prints on one sheet, with a large code', async () => {
    const { webUrl } = await issue('offer');
    await page.goto(webUrl);
    const pdf = Buffer.from(await page.pdf({ format: 'A4' })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await page.emulateMediaType('print');
    expect(await page.$eval('.button', (button) => button.checkVisibility())).toBe(false);
    const { width = 0 } = (await (await page.$('.pass .qr'))?.boundingBox()) ?? {};
    expect(width).toBeGreaterThan(240);
  });

  it('an open page follows changes of the pass without a reload, and announces the new state', async () => {
    const { id, webUrl } = await issue('membership');
    await page.goto(`${webUrl}?lang=en`);
    await page.evaluate('window.sameDocument = true; document.querySelector("#back a").focus()');
    await account.patch(`/v1/pass/membership/${id}`, { primaryValue: 'Grace Hopper' });
    await save('membership', 'membership', { backgroundColor: '#004400' });
    await look(page);
    // The page may have looked for changes between the two, so wait for the first change too.
    await page.waitForFunction(() => document.body.textContent?.includes('Grace Hopper'));
    await page.waitForFunction('getComputedStyle(document.querySelector(".pass")).backgroundColor === "rgb(0, 68, 0)"');
    await page.waitForFunction('document.getElementById("news").textContent === "This pass has been updated."');

    await account.post(`/v1/pass/membership/${id}/void`);
    await look(page);
    await page.waitForFunction(() => !document.querySelector('#add'));
    expect(await newsOf(page)).toBe('This pass is no longer valid.');
    expect(await page.evaluate('[window.sameDocument, document.activeElement.closest("#back") !== null]')).toEqual([
      true,
      true,
    ]);

    await account.delete(`/v1/pass/membership/${id}`);
    await look(page);
    await page.waitForSelector('#refusal');
    // The browser itself reports the status 410.
    expect(watched.said.splice(0)).toEqual([expect.stringContaining('410')]);
  });

  it('an open page keeps the focus on its link when fields change', async () => {
    const { id, webUrl } = await issue('offer');
    await page.goto(`${webUrl}?lang=en`);
    await page.evaluate(`
      window.news = [];
      new MutationObserver(() => window.news.push(document.querySelector("#news").textContent))
        .observe(document.querySelector("#news"), { childList: true });
      document.querySelector("#back a").focus()`);
    for (const [shown, change] of [
      ['Valid from', { validFrom: '2020-01-01T00:00:00.000Z' }],
      ['ANOTHER', { code: 'ANOTHER' }],
    ] as const) {
      await account.patch(`/v1/pass/offer/${id}`, change);
      await look(page);
      await page.waitForFunction((text) => document.body.textContent?.includes(text), {}, shown);
      await page.waitForFunction('news.at(-1) === "This pass has been updated."');
    }
    expect(await page.evaluate('news')).toEqual(['This pass has been updated.', '', 'This pass has been updated.']);
    expect(await page.evaluate('document.activeElement.href')).toBe('https://help.example/?a=1&b=2');
  });

  it('an open page shows a pass that joins its group, and removes a pass that leaves the group', async () => {
    const { webUrl } = await issue('offer', { group: { id: 'family' } });
    await page.goto(webUrl);
    const shown = () => page.$$eval('#related li a', (links) => links.map((link) => link.href));
    const becomes = async (expected: string[]) => {
      await look(page);
      await page.waitForFunction(`document.querySelectorAll('#related li a').length === ${expected.length}`);
      expect(await shown()).toEqual(expected);
    };
    expect(await shown()).toEqual([]);
    const other = await issue('event', { group: { id: 'family', order: 1 } });
    await becomes([other.webUrl]);
    await account.patch(`/v1/pass/event/${other.id}`, { group: null });
    await becomes([]);
  });

  it('an open page reloads when a newer release of the service responds', async () => {
    const { id, webUrl } = await issue('offer');
    await page.goto(webUrl);
    await page.evaluate('window.sameDocument = true; document.documentElement.dataset.build = "older"');
    await account.patch(`/v1/pass/offer/${id}`, { code: 'RELEASED' });
    await look(page);
    await page.waitForFunction('window.sameDocument === undefined && document.querySelector(".pass") !== null');
    expect(await textOf(page)).toContain('RELEASED');
  });

  it('an open page sends a new request if it gets no response in time', async () => {
    const { id, webUrl } = await issue('offer');
    await page.evaluateOnNewDocument(`
      { const { setTimeout, fetch } = window;
      window.setTimeout = (work, wait) => setTimeout(work, wait === 10000 ? 50 : wait);
      window.AbortSignal.timeout = undefined;
      window.fetch = (url, { signal }) => new Promise((_, fail) => {
        window.fetch = fetch;
        signal?.addEventListener("abort", () => {
          fail(new Error("aborted"));
          // The time limit of the next requests is the usual one.
          window.setTimeout = setTimeout;
          window.gaveUp = true;
        });
      }); }`);
    await page.goto(webUrl);
    await look(page);
    await page.waitForFunction('window.gaveUp');
    await account.patch(`/v1/pass/offer/${id}`, { code: 'AT-LAST' });
    await look(page);
    await page.waitForFunction(() => document.body.textContent?.includes('AT-LAST'));
  });
});

const place = { name: 'Harbour Hall', address: 'Quay 1\nHamburg', latitude: 53.5413, longitude: 9.9841 };
const samples = `${origin}/images/samples`;
const pictures = { icon: `${samples}/icon.png`, logo: `${samples}/logo.png`, banner: `${samples}/banner.png` };
const common = {
  ...pictures,
  labelColor: '#ffd479',
  fields: [
    { key: 'a', label: 'Row', value: '7' },
    { key: 'b', label: 'Seat', value: '14' },
  ],
  backFields: [
    { key: 'c', label: 'Terms', value: 'No refunds.\nDoors close at ten.' },
    { key: 'd', label: 'Help', value: 'https://help.example/?a=1&b=2' },
  ],
};
const looks: Record<TemplateType, Record<string, unknown>> = {
  offer: common,
  event: { ...common, background: `${samples}/background.png`, location: place },
  generic: { ...common, thumbnail: `${samples}/thumbnail.png` },
  membership: common,
};

/** Makes the page visible, so that it looks for changes immediately. */
function look(page: Page): Promise<unknown> {
  return page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
}

function textOf(page: Page): Promise<string> {
  return page.$eval('main', (main) => main.innerText);
}

function newsOf(page: Page): Promise<string | null> {
  return page.$eval('#news', (news) => news.textContent);
}
