import { writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, ElementHandle } from 'puppeteer-core';
import { chromiumPath, openBrowser } from '../support/chromium.js';
import type { RunningService, Account } from '../support/running-service.js';
import { sampleImages, startWithWorkbench, workbench, WorkbenchPage } from '../support/workbench-page.js';

const chromium = chromiumPath();

interface ListedPass {
  readonly primaryValue: string;
  readonly metadata?: object;
}

let service: RunningService;
let account: Account;
let browser: Browser;
let person: WorkbenchPage;
let folder: string;

(chromium ? describe : describe.skip)('imports in the workbench', () => {
  beforeAll(async () => {
    service = await startWithWorkbench();
    browser = await openBrowser(chromium ?? '', service);
    folder = await mkdtemp(join(tmpdir(), 'workbench-import-'));
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    account = await service.register();
    person = await WorkbenchPage.open(browser);
    const fields = [{ key: 'seat', label: 'Seat', value: 'any' }];
    expect((await account.saveTemplate('membership', 'club', { ...sampleImages, fields })).status).toBe(200);
  });
  afterEach(() => person.close());

  /** Chooses a file with this content in the panel. */
  async function choose(name: string, content: string): Promise<void> {
    const path = join(folder, name);
    writeFileSync(path, content);
    const input = (await person.page.waitForSelector('.import input')) as ElementHandle<HTMLInputElement>;
    await input.uploadFile(path);
  }
  async function openPanel(): Promise<void> {
    await person.press('button::-p-text(Import a file)');
    await person.page.waitForSelector('.import');
  }
  const notice = (text: string) => person.page.waitForSelector(`.notice[role=status]::-p-text(${text})`);
  const numbers = () => person.page.$$eval('.numbers dd', (all) => all.map(({ textContent }) => textContent));
  async function passes(): Promise<ListedPass[]> {
    const all: ListedPass[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await account.get(`/v1/pass/club?limit=100${cursor && `&cursor=${cursor}`}`);
      all.push(...(body.data as ListedPass[]));
      cursor = body.nextCursor as string | null;
    }
    return all;
  }
  const saved = (button: string) => person.save(button, folder);

  it('a person imports passes from a CSV, sees how its columns are used, and saves the rejected rows', async () => {
    await person.signIn(account, '#/passes/club');
    await openPanel();
    await person.expectAccessible('import-empty');
    await choose('people.csv', 'Name,Seat,Order,Until\nAda,1,A-1,\nGrace,2,A-2,31.12.2030\nMary,3,A-3,\n');
    await person.page.waitForSelector('.pictures img');
    const becomes = () => person.page.$$eval('.list select', (all) => all.map((select) => select.value));
    expect(await becomes()).toEqual(['primaryValue', 'fields.seat', '', '']);
    await person.page.select('select[aria-label="Order becomes"]', 'metadata.Order');
    await person.page.select('select[aria-label="Until becomes"]', 'expiry');
    await person.press('button::-p-text(Check without importing)');
    await notice('The service would reject 1 row. Nothing was sent.');
    expect(await passes()).toEqual([]);
    await person.page.waitForSelector('.pictures img');
    await person.expectAccessible('import-checked');
    await person.press('button::-p-text(Import 3 rows)');
    await notice('The import is complete.');
    expect(await numbers()).toEqual(['2', '0', '1']);
    await person.expectAccessible('import-done');
    expect((await passes()).map(({ primaryValue, metadata }) => [primaryValue, metadata])).toEqual(
      expect.arrayContaining([
        ['Ada', { Order: 'A-1' }],
        ['Mary', { Order: 'A-3' }],
      ]),
    );
    expect(await saved('Download rejected rows')).toMatch(
      /^Name,Seat,Order,Until,error\nGrace,2,A-2,31.12.2030,.*expiry/,
    );
    expect(await saved('Download all rows with links')).toContain(`Ada,1,A-1,,`);
  }, 120_000);

  it('a person stops and continues an import, and each row becomes one pass', async () => {
    await person.signIn(account, '#/passes/club');
    await openPanel();
    const rows = Array.from({ length: 2500 }, (_, at) => `Member ${at},${at}\n`);
    await choose('many.csv', `Name,Seat\n${rows.join('')}`);
    await person.page.waitForSelector('.pictures img');
    let batches = 0;
    await person.page.setRequestInterception(true);
    // Hold the second batch back until the person has stopped and continued the import.
    person.page.on('request', (request) => {
      if (request.url().includes('/batch') && (batches += 1) === 2) return;
      void request.continue();
    });
    await person.press('button::-p-text(Import 2,500 rows)');
    await person.page.waitForFunction(() => document.querySelector('progress')?.value === 1000);
    await person.expectAccessible('import-running');
    await person.press('button::-p-text(Stop)');
    await notice('The import has stopped after 1,000 of 2,500 rows.');
    await person.expectAccessible('import-stopped');
    await person.press('button::-p-text(Continue)');
    await notice('The import is complete.');
    expect(await numbers()).toEqual(['2,500', '0', '0']);
    expect(new Set((await passes()).map(({ primaryValue }) => primaryValue)).size).toBe(2500);
  }, 120_000);

  it('a person whose key may only read sees why they cannot import', async () => {
    const key = await account.apiKey('templates:read', 'passes:read');
    await person.page.goto(`${workbench}#/passes/club`);
    await person.press('button::-p-text(API key)');
    await person.page.type('input[type=password]', key);
    await person.page.keyboard.press('Enter');
    await person.press('button::-p-text(Import a file)');
    await person.page.waitForSelector('h2::-p-text(You cannot import passes here)');
    expect(await person.textOf('.panel [role=alert]')).toContain('passes:write');
    expect(await person.page.$('.import')).toBeNull();
    await person.expectAccessible('import-forbidden');
  }, 60_000);

  it('a file that is not a table is rejected with a message', async () => {
    await person.signIn(account, '#/passes/club');
    await openPanel();
    await choose('quotes.csv', 'Name\nAda\nA"da\n');
    expect(await person.textOf('.import [role=alert]')).toContain('Line 3');
  }, 60_000);

  it('a person imports members, and columns that are not parts of a member become their data', async () => {
    const token = await account.apiKey('members:read', 'members:write');
    const settings = { templateId: 'club', reminders: [] };
    await service.request('PUT', '/v1/memberships/settings', { token, body: settings });
    await person.signIn(account, '#/members');
    await person.fill('API key', token);
    await person.page.keyboard.press('Enter');
    await openPanel();
    await choose('members.csv', 'E-mail;Name;Tier\nada@example.com;Ada;gold\nnot an address;Grace;\n');
    await person.page.waitForSelector('select[aria-label="Tier becomes"]');
    await person.expectAccessible('import-members');
    await person.press('button::-p-text(Import 2 rows)');
    await notice('The import is complete.');
    expect(await numbers()).toEqual(['1', '0', '1']);
    const { body } = await service.request('GET', '/v1/memberships/members', { token });
    expect(body.data).toEqual([
      expect.objectContaining({ email: 'ada@example.com', name: 'Ada', data: { Tier: 'gold' } }),
    ]);
  }, 60_000);
});
