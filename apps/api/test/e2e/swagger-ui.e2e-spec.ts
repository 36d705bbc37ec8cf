import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'puppeteer-core';
import { axeViolations, loadAxe } from '../support/axe.js';
import { chromiumPath, isInstalled, openBrowser, watchedPage, type WatchedPage } from '../support/chromium.js';
import { RunningService, type Account } from '../support/running-service.js';

const home = 'http://passes.localhost';
const executable = chromiumPath();
const inChromium = executable === null ? describe.skip : describe;

inChromium('Swagger UI', () => {
  let service: RunningService;
  let account: Account;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    service = await RunningService.start({ BASE_URL: home });
    account = await service.register();
    browser = await openBrowser(executable as string, service);
    watched = await watchedPage(browser);
    page = watched.page;
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.goto(`${home}/docs`);
    await page.waitForSelector('.opblock-tag');
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  /** Returns the focused element, whether it is visible, and its position among all clickable elements. */
  const focused = () =>
    page.evaluate(() => {
      const it = document.activeElement as HTMLElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(it);
      return {
        place: it === document.body ? -1 : clickable().indexOf(it),
        name: it.getAttribute('aria-label') ?? it.textContent,
        isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
      };
      function clickable() {
        return [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex="0"]')];
      }
    });

  /** Reloads the page, opens an operation, and waits until it is drawn. */
  async function open(operation: string): Promise<void> {
    await page.goto(`${home}/docs#/${operation}`);
    await page.reload();
    await page.waitForSelector('.opblock.is-open .request-sample pre');
  }

  /** Presses a button without scrolling to it, which would interfere with the page's own scrolling. */
  async function press(button: string): Promise<void> {
    const found = await page.waitForSelector(button);
    await found?.evaluate((element) => (element as HTMLElement).click());
  }

  /** Presses all buttons of the open operation that show this text. */
  const pressAll = (text: string) =>
    page.$$eval(
      '.opblock.is-open button',
      (buttons, wanted) =>
        buttons.filter(({ textContent }) => textContent === wanted).forEach((button) => button.click()),
      text,
    );

  /** Expects that the page fits on a phone and on a desktop, and that axe finds no problem. */
  async function expectAccessible(): Promise<void> {
    await loadAxe(page);
    for (const width of [390, 1280]) {
      await page.setViewport({ width, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      for (const value of ['light', 'dark']) {
        // Without animations, because axe could measure a colour in the middle of a fade.
        const still = { name: 'prefers-reduced-motion', value: 'reduce' };
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }, still]);
        await page.waitForSelector(value === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)');
        expect([value, await page.evaluate(paleInputs)]).toEqual([value, []]);
        const violations = await axeViolations(page);
        expect(violations.map(({ id, nodes }) => [id, value, width, ...nodes.map(({ html }) => html)])).toEqual([]);
      }
    }
  }

  /** Returns the ids of the operations that the reader sees, in the list or in Swagger UI. */
  const shown = () =>
    page.$$eval('.opblock', (blocks) =>
      blocks.filter((block) => block.checkVisibility()).map(({ id }) => id.split(/[-/]/).at(-1)),
    );
  const shows = (count: number) =>
    page.waitForFunction(
      (expected) =>
        [...document.querySelectorAll('.opblock')].filter((block) => block.checkVisibility()).length === expected,
      {},
      count,
    );
  const isStarted = () => page.evaluate(() => 'SwaggerUIBundle' in window);

  it('the page is dark for readers who prefer it, and lists collapsed groups in the order of their use', async () => {
    const { groups, background } = await page.evaluate(() => ({
      groups: [...document.querySelectorAll('.opblock-tag')].map((tag) => tag.getAttribute('data-tag')),
      background: getComputedStyle(document.documentElement).backgroundColor,
    }));
    expect(groups.slice(0, 5)).toEqual(['auth', 'templates', 'passes', 'memberships', 'messages']);
    expect(groups).not.toContain('mcp');
    expect(await shown()).toEqual([]);
    expect(background).toMatch(/^rgb\((\d|[1-5]\d), /);
    expect(await isStarted()).toBe(false);
  });

  it('the list of operations needs no script, and a link can show an operation', async () => {
    const plain = await browser.newPage();
    await plain.setJavaScriptEnabled(false);
    await plain.goto(`${home}/docs#/passes/voidPass`);
    const visible = (selector: string) => plain.$eval(selector, (element) => element.checkVisibility());
    expect(await visible('a[id="/passes/voidPass"]')).toBe(true);
    expect(await visible('a[id="/templates/upsertTemplate"]')).toBe(false);
    expect(await visible('.authorize')).toBe(false);
    await plain.close();
  });

  it('a link to a group opens the group without moving the groups below it', async () => {
    const fresh = await browser.newPage();
    await fresh.evaluateOnNewDocument(() => {
      const shifts: number[] = ((globalThis as { shifts?: number[] }).shifts = []);
      const note = (list: PerformanceObserverEntryList) =>
        shifts.push(...list.getEntries().map((entry) => (entry as PerformanceEntry & { value: number }).value));
      new PerformanceObserver(note).observe({ type: 'layout-shift', buffered: true });
    });
    await fresh.goto(`${home}/docs#/messages`);
    // Wait for the next frames, because the browser reports a layout shift later.
    const shown = await fresh.evaluate(async () => {
      for (let frame = 0; frame < 10; frame++) await new Promise(requestAnimationFrame);
      const open = [...document.querySelectorAll<HTMLElement>('details[open] summary')];
      return { open: open.map(({ dataset }) => dataset.tag), shifts: (globalThis as { shifts?: number[] }).shifts };
    });
    await fresh.close();
    expect(shown).toEqual({ open: ['messages'], shifts: [] });
  });

  it('Swagger UI replaces the list when an operation is opened, and keeps the position and the open groups', async () => {
    await press('summary[data-tag="auth"]');
    await press('summary[data-tag="privacy"]');
    const link = 'a[id="/privacy/exportHolder"]';
    const top = (selector: string) =>
      page.$eval(selector, (element) => Math.round(element.getBoundingClientRect().top));
    await page.$eval(link, (element) => element.scrollIntoView({ block: 'center' }));
    const before = await top(link);
    await press(link);
    await page.waitForSelector('.opblock.is-open .request-sample pre');
    expect(Math.abs((await top('#operations-privacy-exportHolder')) - before)).toBeLessThan(3);
    expect(page.url()).toBe(`${home}/docs#/privacy/exportHolder`);
    expect(await page.$('#list')).toBeNull();
    const listed = await shown();
    expect(listed).toEqual(expect.arrayContaining(['register', 'exportHolder']));
    expect(listed).not.toContain('createPass');
    expect((await focused()).name).toMatch(/privacy/i);
  }, 60_000);

  it.each([
    ['openapi.json', { status: 503 }],
    ['openapi.json', { status: 200, contentType: 'text/html', body: '<title>Sign in to this network</title>' }],
    ['swagger-ui-bundle.js', { status: 503 }],
    ['swagger-ui-init.js', { status: 503 }],
  ])(
    'the page reports that %s could not be loaded because of the response %j',
    async (name, response) => {
      const fresh = await browser.newPage();
      await fresh.setCacheEnabled(false);
      await fresh.setRequestInterception(true);
      let isBroken = true;
      fresh.on('request', (request) => {
        const fails = isBroken && request.url().endsWith(name);
        void (fails ? request.respond(response) : request.continue());
      });
      await fresh.goto(`${home}/docs#/privacy/exportHolder`);
      const problem = await fresh.waitForSelector('.load-problem[role=alert]');
      expect(await problem?.evaluate((element) => element.textContent)).toContain(`could not load ${name}`);
      isBroken = false;
      await fresh.click('a[id="/privacy/exportHolder"]');
      await fresh.waitForSelector('.opblock.is-open .request-sample pre');
      expect(await fresh.$('.load-problem')).toBeNull();
      await fresh.close();
    },
    60_000,
  );

  it('"Authorize" in the list opens the dialog of Swagger UI', async () => {
    await page.goto(`${home}/docs?again`);
    await press('#list .authorize');
    await page.waitForSelector('.auth-container input');
    await press('.auth-container .btn-done');
  }, 60_000);

  it.each([
    ['the list', '/docs?list', false],
    ['Swagger UI', '/docs?started#/privacy/eraseHolder', true],
  ])(
    'the search of %s finds operations by summary, id or path, and lists each once',
    async (...row) => {
      const [, path, starts] = row;
      await page.goto(home + path);
      if (starts) await page.waitForSelector('#swagger-ui .operation-filter-input');
      expect(await page.$eval('.operation-filter-input', (input) => input.getAttribute('placeholder'))).toMatch(
        /^Search/,
      );
      const find = async (words: string) => {
        await page.$eval('.operation-filter-input', (input) => (input as HTMLInputElement).select());
        if (words === '') await page.keyboard.press('Backspace');
        else await page.type('.operation-filter-input', words);
      };
      const open = (await shown()).length;
      await find('passes void');
      await shows(2);
      expect(await shown()).toEqual(['voidPass', 'unvoidPass']);
      await find('/');
      const { body } = await service.request('GET', '/openapi.json');
      await shows(Object.values(body.paths as object).flatMap((item) => Object.keys(item as object)).length);
      await find('');
      await shows(open);
      expect(await page.evaluate(() => document.querySelectorAll('#swagger-ui > *').length > 0)).toBe(starts);
    },
    60_000,
  );

  it('Enter opens an operation, and Tab reaches everything in it', async () => {
    await page.goto(`${home}/docs?keyboard`);
    await page.type('.operation-filter-input', 'privacy');
    await shows(2);
    await page.keyboard.press('Tab');
    while (!/^(GET|POST|DELETE) .*holder/i.test((await focused()).name ?? '')) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.opblock.is-open .request-sample pre');
    const places = new Set<number>();
    for (let presses = 0; presses < 100; presses++) {
      await page.keyboard.press('Tab');
      const { place, name, isSeen } = await focused();
      if (place < 0) break;
      expect({ name, isSeen }).toEqual({ name, isSeen: true });
      places.add(place);
    }
    const missed = await page.evaluate(
      (reached) =>
        [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex="0"]')]
          .filter((element, place) => !reached.includes(place) && element.closest('.opblock.is-open'))
          .filter((element) => element.offsetParent !== null && !(element as HTMLButtonElement).disabled)
          .map((element) => element.outerHTML.slice(0, 150)),
      [...places],
    );
    // Ignore the header, because Tab started there, and its arrow, because it does the same as the header.
    expect(missed.filter((html) => !/opblock-(summary-control|control-arrow)/.test(html))).toEqual([]);
  }, 60_000);

  it('an operation shows working request samples for curl, Node and Python', async () => {
    await open('auth/register');
    const sample = '.opblock.is-open .request-sample';
    const texts: string[] = [];
    for (const language of ['curl', 'Node.js', 'Python']) {
      await press(`${sample} button::-p-text(${language})`);
      await page.waitForSelector(`${sample} pre[aria-label="Request with ${language}"]`);
      texts.push(await page.$eval(`${sample} pre`, (element) => element.textContent ?? ''));
    }
    const [curl, node, python] = texts.map((text, index) =>
      text.replaceAll(home, service.baseUrl).replace(/"email": "/, `"email": "sample${index}-`),
    ) as [string, string, string];
    expect(await run('bash', ['-c', `${curl} -s`])).toContain('"accessToken"');
    expect(await run(process.execPath, ['--input-type=module', '-e', node])).toMatch(/^201 .*"accessToken"/);
    if (isInstalled('python3')) expect(await run('python3', ['-c', python])).toMatch(/^201 .*"accessToken"/);
  }, 60_000);

  it('an operation shows NDJSON as lines, in the input field and in the response', async () => {
    await open('passes/createPasses');
    const first = '{"id":"seat-1","code":"A-1"}\n{"id":"seat-2"';
    const sent = await page.$eval('.opblock.is-open textarea', (element) => element.value);
    expect(sent.slice(0, first.length)).toBe(first);
    const response = await page.$eval('.opblock.is-open .responses-table pre', (element) => element.textContent ?? '');
    expect(response.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^{"index":0/),
      expect.stringMatching(/^{"index":1/),
    ]);
  }, 60_000);

  it.each([
    ['templates/uploadTemplateImages', 'file', ['icon', 'logo', 'banner', 'background', 'thumbnail', 'artwork']],
    ['auth/sendPasswordReset', 'text', ['code', 'password']],
  ])('the form of %s has a field of the type %s for each of its parts', async (operation, type, names) => {
    await open(operation);
    const rows = await page.$$eval('.opblock.is-open .parameters[data-property-name]', (parts) =>
      parts.map((part) => [part.getAttribute('data-property-name'), part.querySelector('input')?.type]),
    );
    expect(rows).toEqual(names.map((name) => [name, type]));
  });

  it('optional filters are empty at first, so a request returns the whole list', async () => {
    await open('passes/listPasses');
    const rows = await page.$$eval('.opblock.is-open [data-param-in=query]', (parts) =>
      parts.map((part) => [
        part.getAttribute('data-param-name'),
        part.querySelector<HTMLInputElement>('input, select')?.value ?? null,
      ]),
    );
    expect(rows.filter(([, value]) => value !== '' && value !== '--')).toEqual([['limit', '20']]);
    const text = await page.$eval('[data-param-name=updatedSince]', (row) => row.textContent);
    expect(text).toContain('Example: 2026-12-31T23:00:00.000Z');
  }, 60_000);

  it('each error code of a response links to its cause and fix', async () => {
    await open('passes/createPass');
    const links = await page.$$eval('.error-of-response[data-code="409"] a', (found) => found.map(({ href }) => href));
    const guide = `${home}/guides/errors`;
    expect(links).toEqual([`${guide}#template_archived`, `${guide}#pass_exists`, `${guide}#idempotency_key_reused`]);
    const { bytes } = await service.request('GET', '/guides/errors', { headers: { Accept: 'text/html' } });
    expect(bytes.toString()).toContain('id="template_archived"');
  }, 60_000);

  it.each<[string, string, () => Promise<unknown>]>([
    ['passes/listPasses', 'parameters', () => Promise.resolve()],
    ['templates/uploadTemplateImages', 'files to upload', () => Promise.resolve()],
    [
      'passes/createPass',
      'the example of an error and headers',
      async () => {
        await press('.error-of-response .btn');
        await page.$$eval('.headers-of-response summary', (summaries) => summaries.forEach((one) => one.click()));
        await page.waitForSelector('.example-of-error table.headers');
      },
    ],
    [
      'messages/getMessage',
      'a schema',
      async () => {
        await pressAll('Schema');
        await page.waitForSelector('.model-container article');
        await pressAll('Expand all');
        await page.waitForSelector('.json-schema-2020-12__constraint');
      },
    ],
    [
      'operation/getLiveness',
      'a response of the service',
      async () => {
        await press('.opblock.is-open .execute');
        await page.waitForSelector('.live-responses-table');
      },
    ],
    [
      'operation/getReadiness',
      'the dialog of credentials',
      async () => {
        await press('.auth-wrapper .authorize');
        await page.waitForSelector('.auth-container input');
      },
    ],
  ])(
    '%s is accessible on phone and desktop, in light and dark mode, with %s',
    async (operation, _, show) => {
      await open(operation);
      await show();
      await expectAccessible();
    },
    120_000,
  );

  it('the page keeps and sends the token after a reload', async () => {
    await open('accounts/getAccount');
    await press('.auth-wrapper .authorize');
    await page.waitForSelector('.auth-container input');
    // The first of the two credentials has the focus.
    expect((await focused()).name).toBe('auth-bearer-value');
    await page.keyboard.sendCharacter(account.token);
    await page.type('#api_key_value', 'ab');
    expect(await page.$eval('#api_key_value', (element) => (element as HTMLInputElement).value)).toBe('ab');
    await press('.auth-container .authorize');
    await press('.auth-container .btn-done');
    await open('accounts/getAccount');
    await press('.opblock.is-open .execute');
    const status = await page.waitForSelector('.live-responses-table tbody .response-col_status');
    expect(await status?.evaluate((element) => element.textContent)).toMatch(/^200/);
  }, 60_000);

  it('the page logs nothing to the console, and contacts no other host', () => {
    expect(watched.said).toEqual([]);
    expect([...watched.origins]).toEqual([home]);
  });
});

async function run(program: string, words: string[]): Promise<string> {
  const env = { ...process.env, FORCE_COLOR: '0' };
  return (await promisify(execFile)(program, words, { timeout: 20_000, env })).stdout;
}

/** Lists the inputs whose border has too little contrast (WCAG 1.4.11), which axe does not check. Runs in the page. */
function paleInputs(): string[] {
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? [])
      .map((part) => Number(part) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return [...document.querySelectorAll('input, textarea')]
    .filter((input) => {
      const { borderTopColor, backgroundColor } = getComputedStyle(input);
      const [dark = 0, light = 0] = [luminance(borderTopColor), luminance(backgroundColor)].sort((a, b) => a - b);
      return input.checkVisibility() && (light + 0.05) / (dark + 0.05) < 3;
    })
    .map((input) => input.outerHTML);
}
