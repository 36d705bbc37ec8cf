import type { Browser } from 'puppeteer-core';
import { until } from '../support/apple-wallet-world.js';
import { chromiumPath, openBrowser } from '../support/chromium.js';
import type { Account, RunningService } from '../support/running-service.js';
import { sampleImages, startWithWorkbench, WorkbenchPage } from '../support/workbench-page.js';

const chromium = chromiumPath();
/** An address at which no server listens, so that deliveries stay pending. */
const receiver = '127.0.0.1:9';

let service: RunningService;
let account: Account;
let browser: Browser;
let person: WorkbenchPage;

(chromium ? describe : describe.skip)('webhooks and their events in the workbench', () => {
  beforeAll(async () => {
    service = await startWithWorkbench({ WEBHOOK_HOSTS_ALLOWED: receiver });
    browser = await openBrowser(chromium ?? '', service);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    account = await service.register();
    await account.saveTemplate('membership', 'club', sampleImages);
    person = await WorkbenchPage.open(browser);
  });
  afterEach(() => person.close());

  const press = (selector: string) => person.press(selector);
  const seen = (selector: string) => person.page.waitForSelector(selector, { visible: true });
  const newWebhook = async (body: object): Promise<string> => (await account.post('/v1/webhooks', body)).body.id;
  const issue = (id: string) => account.post(`/v1/pass/club/${id}`, { primaryValue: 'Ada' });

  it('a person watches events as they happen, stops and continues, and reads stored ones', async () => {
    const webhookId = await newWebhook({ name: 'Warehouse' });
    await issue('before');
    // Wait until the event is readable, because an open transaction of another spec can delay it. Otherwise the live
    // list would show it too.
    await until(
      () => account.get(`/v1/webhooks/${webhookId}/events`),
      ({ body }) => body.data.length === 1,
    );
    await person.signIn(account, `#/webhooks/${webhookId}`);
    await press('.heading a::-p-text(Events)');
    await seen('main .badge.good');
    await person.expectAccessible('events-waiting');
    await issue('ada');
    await seen('.event-list summary::-p-text(club/ada)');
    expect(await person.page.$$('.event-list summary ::-p-text(club/before)')).toEqual([]);
    await press('.event-list summary');
    expect(await person.textOf('.event-list pre')).toContain('"type": "pass.created"');
    expect(await person.page.$eval('.event-list details a', (link) => link.getAttribute('href'))).toBe(
      '#/passes/club/ada',
    );
    await person.expectAccessible('events');
    await press('button::-p-text(Stop)');
    await issue('grace');
    await press('button::-p-text(Continue)');
    await seen('main .badge.good');
    await seen('.event-list summary::-p-text(club/grace)');
    await press('button::-p-text(Stored)');
    await seen('.event-list summary::-p-text(club/before)');
    const all = await person.page.$$eval('.event-list summary code', (codes) => codes.map((code) => code.textContent));
    expect(all).toEqual(['club/before', 'club/ada', 'club/grace']);
  }, 120_000);

  it('an admin changes the events of a webhook, and replays the events that it has missed', async () => {
    await newWebhook({ name: 'Warehouse' });
    await issue('ada');
    const url = `http://${receiver}/hook`;
    const webhookId = await newWebhook({ url });
    await person.signIn(account, `#/webhooks/${webhookId}`);
    await press('button::-p-text(Change)');
    await person.fill('Name', 'Shop');
    await press('form summary');
    await (await seen('::-p-aria(pass.created)'))?.focus();
    await person.page.keyboard.press('Space');
    await person.expectAccessible('webhook-change');
    await press('button::-p-text(Save the webhook)');
    await person.page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Shop');
    expect((await account.get(`/v1/webhooks/${webhookId}`)).body).toMatchObject({
      ...{ name: 'Shop', url, types: ['pass.created'] },
    });
    await press('button::-p-text(Replay a period …)');
    await person.page.select('dialog select', 'missed');
    await person.page.$eval('dialog input[type=datetime-local]', (input) => {
      input.value = '2020-01-01T00:00';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await person.expectAccessible('webhook-replay');
    await press('dialog button[type=submit]');
    await seen('::-p-text(1 event is sent again.)');
    await seen('.timeline strong::-p-text(pass.created)');
    await person.expectAccessible('webhook');
  }, 120_000);
});
