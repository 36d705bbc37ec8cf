import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { outboxMails } from '../support/mailed-codes.js';
import { type Account, RunningService } from '../support/running-service.js';

let service: RunningService;
let account: Account;

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
});
afterAll(() => service.stop());

/**
 * Waits until the service has processed the mails of a pass.
 * @returns the mails as the account sees them
 */
async function settled(path: string) {
  for (;;) {
    const { body } = await account.get(`${path}/mails`);
    if (body.data.every(({ status }: { status: string }) => status !== 'queued')) return body.data;
    await pause(20);
  }
}

it("a sent pass becomes a mail in the outbox if no mail server is set, with a button to the pass's page", async () => {
  const { body } = await account.issue('offer', { code: 'LINE-1' });
  const path = `/v1/pass/offer/${body.pass.id}`;
  const to = `${randomUUID()}@example.com`;
  const sent = await account.post(`${path}/send`, { to, message: 'For you, <Ada>' });
  expect(sent.status).toBe(202);
  expect(await settled(path)).toEqual([
    { ...sent.body, status: 'sent', attempts: 1, sentAt: expect.stringMatching(/^\d{4}-.*Z$/) },
  ]);

  const [mail = ''] = outboxMails(service.dataDir).filter((text) => text.includes(`\nTo: ${to}\n`));
  expect(mail).toContain('For you, <Ada>');
  expect(mail).toContain('For you, &lt;Ada&gt;');
  const [, href = ''] = /<a href="([^"]*)"/.exec(mail) ?? [];
  expect(href).toBe(body.webUrl);
  expect((await service.request('GET', href)).status).toBe(200);
});
