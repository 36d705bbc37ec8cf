import { testCertificates } from '@passwright/testing';
import { type Account, type ApiResponse, RunningService } from '../support/running-service.js';

let service: RunningService;
let account: Account;
let key: string;

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
  key = await account.apiKey();
  await account.saveTemplate('membership', 'club');
  await send('PUT', '/v1/memberships/settings', { templateId: 'club', reminders: [] });
});
afterAll(() => service.stop());

const rejection = ({ status, body }: ApiResponse) => ({ status, code: body?.code });
const tag = ({ headers }: ApiResponse) => headers.get('etag') ?? '';
const outdated = { status: 412, code: 'precondition_failed' };

function send(method: string, path: string, body?: object, etag?: string): Promise<ApiResponse> {
  return service.request(method, path, { token: key, body, headers: etag ? { 'If-Match': etag } : {} });
}

it.each(['archive', 'unarchive'])(
  '412 precondition_failed for POST …/%s of a template that has changed since, 200 with its new tag',
  async (action) => {
    const path = `/v1/templates/for-${action}`;
    const old = tag(await account.saveTemplate('offer', `for-${action}`));
    if (action === 'unarchive') await account.post(`${path}/archive`);
    else await account.saveTemplate('offer', `for-${action}`, { title: 'Changed' });
    const before = await account.get(path);
    expect(rejection(await account.post(`${path}/${action}`, undefined, { 'If-Match': old }))).toEqual(outdated);
    expect((await account.get(path)).body).toEqual(before.body);
    const response = await account.post(`${path}/${action}`, undefined, { 'If-Match': tag(before) });
    expect(response).toMatchObject({ status: 200, body: { archived: action === 'archive' } });
  },
);

it.each([
  ['activate', undefined, 'active'],
  ['suspend', undefined, 'suspended'],
  ['cancel', undefined, 'cancelled'],
  ['renew', { expiry: '2100-01-01T00:00:00.000Z' }, 'active'],
])(
  '412 precondition_failed for POST …/%s of a member that has changed since, 200 with its new tag',
  async (step, body, status) => {
    const member = { name: 'Ada', email: `${step}@example.com`, expiry: '2099-01-01T00:00:00.000Z' };
    const created = await send('POST', '/v1/memberships/members', member);
    const path = `/v1/memberships/members/${created.body.id}`;
    if (step === 'suspend' || step === 'renew') await send('POST', `${path}/activate`);
    else await send('PATCH', path, { name: 'Eve' });
    const before = await send('GET', path);
    expect(rejection(await send('POST', `${path}/${step}`, body, tag(created)))).toEqual(outdated);
    expect((await send('GET', path)).body).toEqual(before.body);
    expect(await send('POST', `${path}/${step}`, body, tag(before))).toMatchObject({ status: 200, body: { status } });
  },
);

it('412 precondition_failed for all but one of simultaneous rotations of a webhook that send the same tag', async () => {
  const { body } = await account.post('/v1/webhooks', { name: 'Data warehouse' });
  const path = `/v1/webhooks/${body.id}`;
  const etag = tag(await account.get(path));
  const rotate = () => account.post(`${path}/rotate`, { overlapHours: 0 }, { 'If-Match': etag });
  const responses = await Promise.all([rotate(), rotate(), rotate()]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  const current = tag(await account.get(path));
  expect(await account.post(`${path}/rotate`, {}, { 'If-Match': current })).toMatchObject({ status: 200 });
});

describe('credentials of wallets', () => {
  const { certificatePem, privateKeyPem, intermediatePem } = testCertificates().pass();
  const certificate = { certificate: certificatePem, privateKey: privateKeyPem, intermediate: intermediatePem };
  const serviceAccount = {
    type: 'service_account',
    client_email: 'passes@example-club.iam.gserviceaccount.com',
    private_key: privateKeyPem,
  };

  it.each([
    ['walletA', certificate],
    ['walletB', { issuerId: '3388000000022222222', serviceAccount }],
  ])(
    '412 precondition_failed for a change of %s that has changed since, 204 with its new tag',
    async (wallet, body) => {
      const owner = await service.register();
      const path = `/v1/account/${wallet}`;
      const change = (method: string, etag: string, upload?: object) =>
        service.request(method, path, { token: owner.token, body: upload, headers: { 'If-Match': etag } });
      const before = tag(await owner.get(path));
      const saved = await change('PUT', before, body);
      expect(saved.status).toBe(200);
      expect(rejection(await change('PUT', before, body))).toEqual(outdated);
      expect(rejection(await change('DELETE', before))).toEqual(outdated);
      expect((await change('DELETE', tag(await owner.get(path)))).status).toBe(204);
    },
  );
});
