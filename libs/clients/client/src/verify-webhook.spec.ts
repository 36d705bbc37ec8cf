import { createHmac, randomBytes } from 'node:crypto';
import { InvalidWebhook, verifyWebhook, type WebhookEventData, type WebhookEventType } from './index.js';

const key = randomBytes(32);
const secret = `whsec_${key.toString('base64')}`;
const event = {
  id: 'evt_1',
  type: 'pass.changed',
  timestamp: '2026-11-20T10:00:00.000Z',
  data: { templateId: 'gold', passId: 'jürgen', changed: ['fields'] },
};
const body = JSON.stringify(event);
const now = () => String(Math.floor(Date.now() / 1000));

/** Creates the headers of a delivery as Standard Webhooks describes them. */
function signed(text: string, { at = now(), by = key }: { at?: string; by?: Buffer } = {}) {
  const signature = createHmac('sha256', by).update(`evt_1.${at}.${text}`).digest('base64');
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
}

it('verifyWebhook accepts a text or byte body with headers of Node or fetch, and returns the event', async () => {
  const headers = signed(body);
  for (const form of [headers, new Headers(headers)]) {
    await expect(verifyWebhook(body, form, secret)).resolves.toEqual(event);
    await expect(verifyWebhook(new TextEncoder().encode(body), form, secret)).resolves.toEqual(event);
  }
  const received = await verifyWebhook(body, headers, secret);
  // Checking `type` narrows the type of `data`.
  if (received.type === 'pass.changed') expect(received.data.changed).toEqual(['fields']);
});

it('verifyWebhook reads header names in any letter case, and the Headers class of another library', async () => {
  const headers = signed(body);
  const capitals = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replace(/(^|-)w|-[a-z]/g, (part) => part.toUpperCase()),
      value,
    ]),
  );
  expect(Object.keys(capitals)).toContain('Webhook-Id');
  await expect(verifyWebhook(body, capitals, secret)).resolves.toEqual(event);
  const foreign = { get: (name: string) => new Headers(headers).get(name) };
  await expect(verifyWebhook(body, foreign, secret)).resolves.toEqual(event);
});

it('the error of verifyWebhook names a missing header or a missing raw body', async () => {
  const { 'webhook-id': id, 'webhook-timestamp': at } = signed(body);
  const without = { 'webhook-id': id, 'webhook-timestamp': at };
  await expect(verifyWebhook(body, without, secret)).rejects.toThrow('The header webhook-signature is missing.');
  await expect(verifyWebhook(body, {}, secret)).rejects.toThrow('The header webhook-id is missing.');
  const parsed = JSON.parse(body) as string;
  await expect(verifyWebhook(parsed, signed(body), secret)).rejects.toThrow(/takes the body as it was received/);
});

it('verifyWebhook accepts several signatures if one of them is valid, as during a secret rotation', async () => {
  const right = signed(body)['webhook-signature'];
  const wrong = signed(body, { by: randomBytes(32) })['webhook-signature'];
  for (const signatures of [`${wrong} ${right}`, `${right} ${wrong}`, `v2,x v1,§ ${right}`]) {
    const headers = { ...signed(body), 'webhook-signature': signatures };
    await expect(verifyWebhook(body, headers, secret)).resolves.toEqual(event);
  }
});

it('verifyWebhook rejects a changed body, another secret, an old or future time, and missing headers', async () => {
  const seconds = (offset: number) => String(Math.floor(Date.now() / 1000) + offset);
  const wrong: [text: string, headers: Record<string, string | undefined>, by?: string][] = [
    [body.replace('gold', 'silver'), signed(body)],
    [body, signed(body, { by: randomBytes(32) })],
    [body, signed(body), `whsec_${randomBytes(32).toString('base64')}`],
    [body, signed(body, { at: seconds(-310) })],
    [body, signed(body, { at: seconds(310) })],
    [body, signed(body, { at: 'now' })],
    [body, { ...signed(body), 'webhook-id': 'evt_2' }],
    [body, { ...signed(body), 'webhook-signature': undefined }],
    [body, {}],
  ];
  for (const [text, headers, by = secret] of wrong) {
    await expect(verifyWebhook(text, headers, by)).rejects.toThrow(InvalidWebhook);
  }
});

it('verifyWebhook throws a TypeError for a secret that is not base64', async () => {
  for (const bad of ['', 'whsec_', 'whsec_§']) {
    await expect(verifyWebhook(body, signed(body), bad)).rejects.toThrow(TypeError);
  }
});

it('every type of webhook event has typed data, including the test event', () => {
  type Typed = Exclude<keyof WebhookEventData, 'webhook.test'>;
  type Same = [Typed, WebhookEventType] extends [WebhookEventType, Typed] ? true : false;
  // The test is that this line compiles.
  const same: Same = true;
  expect(same).toBe(true);
});
