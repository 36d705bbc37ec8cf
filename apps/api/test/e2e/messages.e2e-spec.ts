import { Clock } from '@passwright/core';
import { shownPass } from '@passwright/testing';
import { AppleWalletWorld, type Held, mustBe, shown, until } from '../support/apple-wallet-world.js';

/* Messages on a virtual iPhone, with the lines on its lock screen. */
let world: AppleWalletWorld;
let held: Held;
let ahead = 0;

beforeAll(async () => {
  world = await AppleWalletWorld.start();
  jest.spyOn(world.service.app.get(Clock), 'now').mockImplementation(() => new Date(Date.now() + ahead));
});
afterAll(() => world.stop());
beforeEach(async () => {
  ahead = 0;
  const account = await world.newAccount();
  held = await world.put(account, (await world.issue(account, 'offer')).body);
});

const lines = () => held.phone.notifications.map(({ text }) => text);
const backFields = () => {
  const { coupon } = shown(held) as { coupon?: { backFields: { key: string; value: string }[] } };
  return Object.fromEntries((coupon?.backFields ?? []).map(({ key, value }) => [key, value]));
};
const send = async (body: object) => mustBe(201, await held.account.post(`${held.path}/messages`, body)).body;

/** Advances the clock by minutes, and runs the job that looks for due messages. */
async function minutesPass(minutes: number): Promise<void> {
  ahead += minutes * 60_000;
  await world.sql(`SELECT graphile_worker.add_job('messages.look', '{}')`);
}

it('a phone shows even the first message on the lock screen', async () => {
  const { id, status } = await send({ title: 'Gate change', text: 'Use gate C.' });
  expect(status).toBe('scheduled');
  await until(backFields, (fields) => fields['_message'] === '–');
  expect(lines()).toEqual([]);

  await minutesPass(2);
  await until(lines, (shownLines) => shownLines.length > 0);
  expect(lines()).toEqual(['Gate change: Use gate C.']);
  const { body } = await held.account.get(`/v1/messages/${id}`);
  expect(body).toMatchObject({ status: 'sent', progress: { sent: 1, walletA: 1 } });
});

it('a phone shows each later message immediately, and keeps the earlier ones on the back', async () => {
  await send({ text: 'Doors open at six.' });
  await until(backFields, (fields) => fields['_message'] === '–');
  await minutesPass(2);
  await until(lines, (shownLines) => shownLines.length === 1);
  expect(await send({ text: 'The bar is open.' })).toMatchObject({ status: 'sent' });
  await until(lines, (shownLines) => shownLines.length === 2);
  expect(lines()).toEqual(['Doors open at six.', 'The bar is open.']);
  expect(backFields()).toMatchObject({
    _message: 'The bar is open.',
    _messages: expect.stringMatching(/^\d{4}-\d\d-\d\d · Doors open at six\.$/),
  });
});

it('each phone shows a message and its label in the language of the phone', async () => {
  const translations = { de: { title: 'Neuer Eingang', text: 'Nehmen Sie Eingang C.' } };
  await send({ title: 'Gate change', text: 'Use gate C.', translations });
  await until(backFields, (fields) => fields['_message'] === '–');
  await minutesPass(2);
  await until(backFields, (fields) => fields['_message'] === 'Gate change: Use gate C.');
  const seenIn = (language: string) => {
    const { coupon } = shownPass(held.phone.passes.get(held.serial)!, [language]) as unknown as {
      coupon: { backFields: { key: string; label: string; value: string }[] };
    };
    const found = coupon.backFields.find(({ key }) => key === '_message');
    return [found?.label, found?.value];
  };
  expect(seenIn('de-AT')).toEqual(['Nachricht', 'Neuer Eingang: Nehmen Sie Eingang C.']);
  expect(seenIn('en')).toEqual(['Message', 'Gate change: Use gate C.']);
  expect(held.phone.failed).toEqual([]);
});

it('webhooks get an event for each change of the status of a message', async () => {
  const { body: webhook } = await held.account.post('/v1/webhooks', { types: ['message.created', 'message.sent'] });
  const { id } = await send({ text: 'Hello' });
  const ended = await held.account.post(`/v1/messages/${id}/pause`);
  expect(ended.status).toBe(200);
  mustBe(200, await held.account.post(`/v1/messages/${id}/resume`));
  await minutesPass(3);
  const events = async () => (await held.account.get(`/v1/webhooks/${webhook.id}/events?wait=10`)).body.data;
  const found = await until(events, (list) => list.length === 2);
  expect(found.map(({ type }: { type: string }) => type)).toEqual(['message.created', 'message.sent']);
  expect(found[1].data).toMatchObject({ messageId: id, templateId: 'offer', status: 'sent', sent: 1, walletA: 1 });
});
