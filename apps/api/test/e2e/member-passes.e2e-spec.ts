import { RunningService, type Account } from '../support/running-service.js';

let service: RunningService;
let account: Account;
let key: string;
let member: { id: number; passId: string };

beforeAll(async () => {
  service = await RunningService.start();
});
afterAll(() => service.stop());
beforeEach(async () => {
  account = await service.register();
  key = await account.apiKey();
  await account.saveTemplate('membership', 'club');
  await send('PUT', '/v1/memberships/settings', { templateId: 'club', reminders: [] });
  const body = { email: 'ada@example.com', name: 'Ada', status: 'active', expiry: '2040-12-31T23:00:00.000Z' };
  member = (await send('POST', '/v1/memberships/members', body)).body;
});

const send = (method: string, path: string, body?: unknown) => service.request(method, path, { token: key, body });
const ofPass = (method: string, rest = '', body?: unknown) =>
  send(method, `/v1/pass/club/${member.passId}${rest}`, body);

describe("a member's pass", () => {
  it.each([
    ['is voided', 'POST', '/void', undefined],
    ['is redeemed', 'POST', '/redeem', undefined],
    ['is voided by a patch', 'PATCH', '', { voided: true }],
    ['ends', 'PATCH', '', { expiry: null }],
    ['begins', 'PATCH', '', { validFrom: '2030-01-01T00:00:00.000Z' }],
    ['is named', 'PATCH', '', { primaryValue: 'Grace' }],
    ['is replaced', 'POST', '', { primaryValue: 'Grace' }],
    ['is deleted', 'DELETE', '', undefined],
  ])(
    "409 invalid_transition because a member's pass %s only together with its member",
    async (_, method, rest, body) => {
      const before = (await ofPass('GET')).body;
      const response = await ofPass(method, rest, body);
      expect(response).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
      expect(response.body.message).toContain('/v1/memberships/members');
      expect((await ofPass('GET')).body).toEqual(before);
    },
  );

  it("a member's pass stays void while the member is suspended", async () => {
    await send('POST', `/v1/memberships/members/${member.id}/suspend`);
    expect((await ofPass('POST', '/unvoid')).status).toBe(409);
    expect((await ofPass('PATCH', '', { voided: false })).status).toBe(409);
    expect((await ofPass('GET')).body.pass.voided).toBe(true);
  });

  it("a member's pass accepts fields, locations, metadata and its own code", async () => {
    const own = { code: 'A-1', backFields: [{ key: 'note', label: 'Note', value: 'Gate 2' }], metadata: { tier: 1 } };
    expect(await ofPass('PATCH', '', own)).toMatchObject({ status: 200, body: { pass: own } });
    // A request that changes nothing succeeds.
    expect((await ofPass('PATCH', '', { voided: false, primaryValue: 'Ada' })).status).toBe(200);
  });

  it("a member's pass without room for the notice keeps at most four front fields, and unique keys", async () => {
    const field = (key: string) => ({ key, label: 'Label', value: 'Value' });
    const later = { expiry: '2041-12-31T23:00:00.000Z' };
    const noticeAfter = async (own: object, expiry: object) => {
      expect(await ofPass('PATCH', '', own)).toMatchObject({ status: 200, body: { pass: own } });
      expect((await send('PATCH', `/v1/memberships/members/${member.id}`, expiry)).status).toBe(200);
      const { fields, backFields } = (await ofPass('GET')).body.pass;
      return { fields, backFields };
    };
    const full = { fields: ['a', 'b', 'c', 'd'].map(field), backFields: [] };
    expect(await noticeAfter(full, later)).toEqual(full);
    const taken = { fields: [field('a')], backFields: [field('membership')] };
    expect(await noticeAfter(taken, { expiry: '2042-12-31T23:00:00.000Z' })).toEqual(taken);
    const free = { fields: [field('a')], backFields: [field('b')] };
    const { fields } = await noticeAfter(free, later);
    expect(fields).toEqual([field('a'), expect.objectContaining({ key: 'membership', label: 'Membership' })]);
  });
});
