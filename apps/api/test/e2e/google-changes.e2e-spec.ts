import { eventually, GoogleWalletWorld, objectIdOf } from '../support/google-wallet-world.js';
import { type Account, passBody } from '../support/running-service.js';

let world: GoogleWalletWorld;
let account: Account;

beforeAll(async () => {
  world = await GoogleWalletWorld.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.google.reset();
  account = await world.service.register();
});

/** Opens the save link of a pass, and saves the pass. @returns the messages that its holder gets */
async function save(templateId: string, passId: string) {
  const path = `/v1/pass/${account.id}/${templateId}/${passId}/walletB`;
  const link = await eventually(`the link ${path}`, async () => {
    const { status, body } = await world.service.request('GET', path);
    return status === 200 ? (body.url as string) : null;
  });
  await world.google.save(link);
  const objectId = objectIdOf(link);
  return () => world.google.addedMessages.filter(({ resourceId }) => resourceId === objectId);
}

it('each holder gets one message about a changed template, worded as on a lock screen', async () => {
  const gate = (value: string) => ({
    fields: [{ key: 'gate', label: 'Gate', value, changeMessage: 'Gate is now %@' }],
  });
  await world.template(account, 'offer', 'offer', gate('A'));
  const received = [];
  for (const id of ['ada', 'bob']) {
    await account.post(`/v1/pass/offer/${id}`, passBody('offer'));
    received.push(await save('offer', id));
  }
  await world.template(account, 'offer', 'offer', gate('B'));
  for (const messages of received) await eventually('the message', () => messages().length > 0);
  expect(received.map((messages) => messages().map(({ body, notified }) => [body, notified]))).toEqual([
    [['Gate is now B', true]],
    [['Gate is now B', true]],
  ]);
});

it('a member gets one message when both the name and the expiry change', async () => {
  await world.template(account, 'membership', 'club', { primaryLabel: 'Member' });
  const key = await account.apiKey('members:read', 'members:write', 'passes:read');
  const members = (method: 'PUT' | 'POST' | 'PATCH', path: string, body: object) =>
    world.service.request(method, `/v1/memberships/${path}`, { token: key, body });
  await members('PUT', 'settings', { templateId: 'club', reminders: [], noticeLabel: 'Membership', timeZone: 'UTC' });
  const ada = { email: 'ada@example.com', name: 'Ada Lovelace', status: 'active', expiry: '2099-01-31T12:00:00Z' };
  const { body: member } = await members('POST', 'members', ada);
  const messages = await save('club', member.passId as string);
  await members('PATCH', `members/${member.id}`, { name: 'Ada King', expiry: '2099-02-28T12:00:00Z' });
  await eventually('the message', () => messages().length > 0);
  expect(messages()).toMatchObject([
    { body: expect.stringMatching(/^Member: Ada King\nMembership: .*28 February 2099/), notified: true },
  ]);
});
