import fc from 'fast-check';
import { TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
  account = await app.account();
  await account.template('generic');
  await account.post('generic/ada', { primaryValue: '1' }).expect(200);
});
afterAll(() => app.stop());

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '2026-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59.999999999Z',
    '1969-12-31T23:59:59Z',
    '\u0000',
    'batch',
  ),
);
const value = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(1e308, -0, Number.MAX_SAFE_INTEGER, [], {}),
);
const numbers = fc.oneof(fc.double(), fc.constantFrom(90, -180, '1'));
const location = fc.record(
  { address: value, latitude: numbers, longitude: numbers, name: value },
  { requiredKeys: [] },
);
const field = fc.record({ key: value, label: text, value: text }, { requiredKeys: ['key'] });
const body = fc.record(
  {
    id: value,
    code: value,
    validFrom: value,
    expiry: value,
    primaryValue: value,
    fields: fc.oneof(value, fc.array(field)),
    backFields: fc.oneof(value, fc.array(field)),
    locations: fc.oneof(value, fc.array(location)),
    metadata: value,
    voided: value,
  },
  { requiredKeys: [] },
);

describe('hostile input', () => {
  it.each(['post', 'patch'] as const)('a %s request with any body does not cause a server error', async (method) => {
    const path = method === 'post' ? 'generic' : 'generic/ada';
    await fc.assert(
      fc.asyncProperty(body, async (content) => {
        const response = await account[method](path, content);
        expect([200, 201, 400, 409]).toContain(response.status);
      }),
      { numRuns: 150 },
    );
  });

  it('a request with any path or query does not cause a server error', async () => {
    const segment = fc.oneof(text, fc.stringMatching(/^[\w.%/-]{1,80}$/)).map(encodeURIComponent);
    const paths = fc.oneof(
      fc.tuple(segment, segment).map(([a, b]) => `${a}/${b}`),
      segment.map((a) => `generic?cursor=${a}`),
      segment.map((a) => `generic?updatedSince=${a}`),
      segment.map((a) => `generic?code=${a}`),
    );
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        expect((await account.get(path)).status).toBeLessThan(500);
      }),
      { numRuns: 150 },
    );
  });

  it('simultaneous requests do not cause a server error, even if passes take over each other’s codes', async () => {
    await account.template('offer');
    for (const id of ['a', 'b']) await account.post(`offer/${id}`, { code: id }).expect(200);
    const takeCodes = async (caller: number) => {
      for (let round = caller; round < caller + 40; round++) {
        const code = ['x', 'y', 'z'][round % 3];
        const { status } = await account.patch(`offer/${caller % 2 ? 'a' : 'b'}`, { code });
        expect([200, 409]).toContain(status);
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(takeCodes));
  });
});
