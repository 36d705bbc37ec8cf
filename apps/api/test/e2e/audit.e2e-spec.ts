import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppleCredential } from '@passwright/core';
import { testCertificates, type TestCertificates } from '@passwright/testing';
import { plannedCall } from '../support/own-things.js';
import { openApi, operationsOf } from '../support/operations.js';
import { RunningService, templateBody, type Account, type ApiResponse } from '../support/running-service.js';

const root = join(__dirname, '../../../..');
let service: RunningService;
let account: Account;

beforeAll(async () => {
  // Google is unreachable at this address.
  const google = { GOOGLE_WALLET_URL: 'http://127.0.0.1:9', GOOGLE_TOKEN_URL: 'http://127.0.0.1:9/token' };
  service = await RunningService.start(google);
  account = await service.register();
  await account.issue('offer');
  await account.post('/v1/pass/offer/held', {});
});
afterAll(() => service.stop());

interface Event {
  action: string;
  actor: { kind: string; id: string; name: string | null };
  target: { kind: string; id: string | null };
  ip: string;
  requestId: string;
  before: object | null;
  after: object | null;
}

async function events(query = '', token = account.token): Promise<Event[]> {
  const { status, body } = await service.request('GET', `/v1/account/events?limit=100&${query}`, { token });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data;
}

/** Finds the audit events that a request caused. */
async function eventsOf({ headers }: ApiResponse, token?: string): Promise<Event[]> {
  return (await events('', token)).filter(({ requestId }) => requestId === headers.get('x-request-id'));
}

async function key(): Promise<string> {
  return (await account.post('/v1/auth/keys', { name: 'Web shop' })).body.id;
}

let certificates: TestCertificates | undefined;

function credential(): AppleCredential {
  certificates ??= testCertificates();
  return certificates.pass();
}

const certificate = () => {
  const { certificatePem, privateKeyPem, intermediatePem } = credential();
  return { certificate: certificatePem, privateKey: privateKeyPem, intermediate: intermediatePem };
};

function put(path: string, body: object): Promise<ApiResponse> {
  return service.request('PUT', path, { token: account.token, body });
}

function saveServiceAccount(): Promise<ApiResponse> {
  const private_key = credential().privateKeyPem;
  const file = { type: 'service_account', client_email: 'passes@club.iam.gserviceaccount.com', private_key };
  return put('/v1/account/walletB', { issuerId: '3388000000011111111', serviceAccount: file });
}

const register = () =>
  service.request('POST', '/v1/auth/register', {
    body: { email: `${randomUUID()}@example.com`, password: randomUUID(), name: 'Ada', accountName: 'Engines' },
  });
const login = () =>
  service.request('POST', '/v1/auth/login', { body: { email: account.email, password: account.password } });

/** Invites a person, who accepts the invitation. */
async function colleague(): Promise<{ response: ApiResponse; uid: string }> {
  const other = await service.register();
  const { body: invite } = await account.post('/v1/account/invite', { email: other.email });
  const response = await other.post(`/v1/account/invites/${invite.code}/accept`);
  const { body } = await account.get('/v1/account');
  const { uid } = body.members.find(({ user }: { user: { email: string } }) => user.email === other.email);
  return { response, uid };
}

let membersKey: string | undefined;

async function members(method: string, path: string, body?: unknown, headers = {}): Promise<ApiResponse> {
  membersKey ??= await account.apiKey('members:read', 'members:write');
  return service.request(method, `/v1/memberships/${path}`, { token: membersKey, body, headers });
}

const post = (path: string, body?: object) => members('POST', `members${path}`, body);
const email = () => `${randomUUID()}@example.com`;

async function setUp(): Promise<ApiResponse> {
  await account.saveTemplate('membership');
  const reminders = [{ key: 'week', daysBefore: 7 }];
  return members('PUT', 'settings', { templateId: 'membership', reminders });
}

async function renewal(): Promise<ApiResponse> {
  await post('/1/activate');
  await members('PATCH', 'members/1', { expiry: '2098-01-01T00:00:00.000Z' });
  return post('/1/renew', { expiry: '2099-01-01T00:00:00.000Z' });
}

/** Sends a request as a new user, whose token later reads the audit trail. */
async function own(send: (user: Account) => Promise<ApiResponse>): Promise<Sent> {
  const user = await service.register();
  return { response: await send(user), token: user.token };
}

async function revoke(user: Account, of: (id: string) => string): Promise<ApiResponse> {
  await service.request('POST', '/v1/auth/login', { body: { email: user.email, password: user.password } });
  const { body } = await user.get('/v1/auth/sessions');
  const { id } = body.data.find(({ current }: { current: boolean }) => !current);
  return user.delete(`/v1/auth/sessions${of(id)}`);
}

const requestDeletion = ({ token, password }: Account) =>
  service.request('DELETE', '/v1/account', { token, body: { password } });

async function withdrawDeletion(user: Account): Promise<ApiResponse> {
  await requestDeletion(user);
  return user.delete('/v1/account/deletion');
}

async function logout({ email, password }: Account): Promise<ApiResponse> {
  const { body } = await service.request('POST', '/v1/auth/login', { body: { email, password } });
  return service.request('POST', '/v1/auth/logout', { body: { refreshToken: body.refreshToken } });
}

const receiver = { name: 'CRM', url: 'https://crm.example.com/passes', types: ['member.created'] };

async function webhook(): Promise<string> {
  return (await account.post('/v1/webhooks', receiver)).body.id;
}

/**
 * Replays an event to a webhook that has not received it. Waits until the event is readable, because open transactions
 * of other specs can delay events.
 * @returns the response
 */
async function replayedEvent(): Promise<ApiResponse> {
  const [id, fetching] = [await webhook(), (await account.post('/v1/webhooks', { types: ['pass.created'] })).body.id];
  await account.post('/v1/pass/offer', {});
  const { body } = await account.get(`/v1/webhooks/${fetching}/events?wait=20`);
  return account.post(`/v1/webhooks/${id}/deliveries/${body.data[0].id}/replay`);
}

const planned = { text: 'Hello' };

/**
 * Plans a message, and then sends a request for each of these steps, such as `pause`.
 * @returns the response to the last request
 */
async function messageStep(...steps: string[]): Promise<ApiResponse> {
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  let response = await account.post('/v1/templates/offer/messages', { ...planned, sendAt });
  const path = `/v1/messages/${response.body.id}`;
  for (const step of steps) response = await account.post(`${path}/${step}`);
  return response;
}

/**
 * A response and the token with which to read its audit events. Default: the access token in the response, or else that
 * of the account.
 */
interface Sent {
  response: ApiResponse;
  token?: string;
}

/** Each operation that records an event, with the event and a request that causes the event. */
const recorded: [operation: string, action: string, send: () => Promise<ApiResponse | Sent>][] = [
  ['register', 'account.created', register],
  ['login', 'session.opened', login],
  ['switchAccount', 'session.opened', () => account.post('/v1/auth/switch', { accountId: account.id })],
  ['logout', 'session.revoked', () => own(logout)],
  ['createApiKey', 'key.created', () => account.post('/v1/auth/keys', { name: 'Web shop' })],
  ['rotateApiKey', 'key.rotated', async () => account.post(`/v1/auth/keys/${await key()}/rotate`)],
  ['revokeApiKey', 'key.revoked', async () => account.delete(`/v1/auth/keys/${await key()}`)],
  [
    'confirmAgentPlan',
    'plan.confirmed',
    async () => {
      const planId = await plannedCall(account, { templateId: 'offer', passId: 'held' });
      return account.post(`/v1/account/plans/${planId}/confirm`);
    },
  ],
  [
    'rejectAgentPlan',
    'plan.rejected',
    async () => {
      const planId = await plannedCall(account, { templateId: 'offer', passId: 'held' });
      return account.delete(`/v1/account/plans/${planId}`);
    },
  ],
  ['requestAppleCertificate', 'appleCertificate.requested', () => account.post('/v1/account/walletA/request')],
  ['saveAppleCertificate', 'appleCertificate.uploaded', () => put('/v1/account/walletA', certificate())],
  ['deleteAppleCertificate', 'appleCertificate.removed', () => account.delete('/v1/account/walletA')],
  ['saveGoogleServiceAccount', 'googleServiceAccount.saved', saveServiceAccount],
  ['deleteGoogleServiceAccount', 'googleServiceAccount.removed', () => account.delete('/v1/account/walletB')],
  ['upsertTemplate', 'template.created', () => account.saveTemplate('offer', 'mine')],
  ['upsertTemplate', 'template.changed', () => account.saveTemplate('offer', 'mine', { title: 'Autumn' })],
  ['archiveTemplate', 'template.archived', () => account.post('/v1/templates/mine/archive')],
  ['unarchiveTemplate', 'template.unarchived', () => account.post('/v1/templates/mine/unarchive')],
  ['deleteTemplate', 'template.deleted', () => account.delete('/v1/templates/mine')],
  ['voidPass', 'pass.voided', () => account.post('/v1/pass/offer/held/void')],
  ['unvoidPass', 'pass.unvoided', () => account.post('/v1/pass/offer/held/unvoid')],
  ['updatePass', 'pass.voided', () => account.patch('/v1/pass/offer/held', { voided: true })],
  ['upsertPass', 'pass.unvoided', () => account.post('/v1/pass/offer/held', { voided: false })],
  ['sendPass', 'pass.sent', () => account.post('/v1/pass/offer/held/send', { to: 'holder@example.com' })],
  ['createPassMessage', 'message.created', () => account.post('/v1/pass/offer/held/messages', { text: 'Hello' })],
  ['createTemplateMessage', 'message.created', () => account.post('/v1/templates/offer/messages', planned)],
  ['putMessageSettings', 'message.settings_changed', () => put('/v1/account/messages', { timeZone: 'Europe/Berlin' })],
  ['pauseMessage', 'message.paused', () => messageStep('pause')],
  ['resumeMessage', 'message.resumed', () => messageStep('pause', 'resume')],
  ['cancelMessage', 'message.cancelled', () => messageStep('cancel')],
  ['redeemPass', 'pass.redeemed', () => account.post('/v1/pass/offer/held/redeem')],
  ['deletePass', 'pass.deleted', () => account.delete('/v1/pass/offer/held')],
  ['updateAccount', 'account.changed', () => account.patch('/v1/account', { industry: 'Engines' })],
  [
    'createAccount',
    'account.created',
    async () => (await own((user) => user.post('/v1/auth/accounts', { name: 'Second' }))).response,
  ],
  ['inviteUser', 'invite.sent', () => account.post('/v1/account/invite', { email: email() })],
  ['acceptInvite', 'invite.accepted', async () => ({ response: (await colleague()).response, token: account.token })],
  [
    'revokeInvite',
    'invite.revoked',
    async () => {
      const { body } = await account.post('/v1/account/invite', { email: email() });
      return account.delete(`/v1/account/invites/${body.code}`);
    },
  ],
  [
    'updateAccountMember',
    'user.role_changed',
    async () => account.patch(`/v1/account/members/${(await colleague()).uid}`, { isAdmin: true }),
  ],
  ['removeAccountMember', 'user.removed', async () => account.delete(`/v1/account/members/${(await colleague()).uid}`)],
  ['updateMe', 'user.changed', () => own((user) => user.patch('/v1/auth/me', { name: 'Ada King' }))],
  ['revokeSession', 'session.revoked', () => own((user) => revoke(user, (id) => `/${id}`))],
  ['revokeOtherSessions', 'session.revoked', () => own((user) => revoke(user, () => ''))],
  [
    'changePassword',
    'password.changed',
    () => own((user) => user.post('/v1/auth/password', { currentPassword: user.password, newPassword: randomUUID() })),
  ],
  ['putMembershipSettings', 'membership.settings_changed', setUp],
  ['createMember', 'member.created', () => post('', { email: email(), name: 'Grace' })],
  [
    'importMembers',
    'members.imported',
    () => members('POST', 'members/import', `email,name\n${email()},Grace\n`, { 'Content-Type': 'text/csv' }),
  ],
  ['updateMember', 'member.changed', () => members('PATCH', 'members/1', { name: 'Grace Hopper' })],
  ['activateMember', 'member.activated', () => post('/1/activate')],
  ['suspendMember', 'member.suspended', () => post('/1/suspend')],
  ['renewMember', 'member.renewed', renewal],
  ['cancelMember', 'member.cancelled', () => post('/1/cancel')],
  ['deleteMember', 'member.deleted', () => members('DELETE', 'members/1')],
  ['createWebhook', 'webhook.created', () => account.post('/v1/webhooks', receiver)],
  [
    'updateWebhook',
    'webhook.changed',
    async () => account.patch(`/v1/webhooks/${await webhook()}`, { enabled: false }),
  ],
  ['rotateWebhookSecret', 'webhook.rotated', async () => account.post(`/v1/webhooks/${await webhook()}/rotate`)],
  ['replayWebhookDelivery', 'webhook.replayed', replayedEvent],
  [
    'replayWebhookDeliveries',
    'webhook.replayed',
    async () => account.post(`/v1/webhooks/${await webhook()}/replay`, { since: '2026-01-01T00:00:00.000Z' }),
  ],
  ['deleteWebhook', 'webhook.deleted', async () => account.delete(`/v1/webhooks/${await webhook()}`)],
  ['deleteAccount', 'account.deletion_requested', () => own(requestDeletion)],
  ['keepAccount', 'account.deletion_withdrawn', () => own(withdrawDeletion)],
  ['exportHolder', 'holder.exported', () => account.post('/v1/privacy/export', { email: email() })],
  ['eraseHolder', 'holder.erased', () => account.post('/v1/privacy/erase', { email: email() })],
];

/** Operations that need a code from a mail. Other specs check their events. */
const heldElsewhere: Record<string, string> = {
  resetPassword: 'password.reset, in credentials.int-spec.ts',
  sendPasswordReset: 'password.reset, in credentials.int-spec.ts',
  confirmEmail: 'email.changed, in credentials.int-spec.ts',
  sendEmailConfirmation: 'email.changed, in credentials.int-spec.ts',
  sendInvitePage: 'invite.accepted, as acceptInvite',
  confirmSignIn: 'session.opened, as login; user.identity_linked and invite.accepted, in oidc.e2e-spec.ts',
  redeemSignInCode: 'session.opened, as login',
};

/** Write operations that record no event, each with the reason. */
const notRecorded: Record<string, string> = {
  createPass: 'too frequent; the pass has the time',
  createPasses: 'too frequent; the pass has the time',
  updatePassMetadata: 'too frequent; the pass has the time',
  uploadTemplateImages: 'changes nothing until a template names them',
  lintTemplate: 'writes nothing',
  previewDraft: 'writes nothing',
  dryRunTemplateMessage: 'writes nothing',
  testWebhook: 'writes nothing',
  forgotPassword: 'the caller is unknown; the mail notifies the user',
  sendForgotPassword: 'the caller is unknown; the mail notifies the user',
  changeEmail: 'changes nothing until it is confirmed',
  refreshTokens: 'continues a session that was recorded',
  registerDevice: "a holder's phone, no caller of the account",
  unregisterDevice: "a holder's phone, no caller of the account",
  logFromDevice: "a holder's phone, no caller of the account",
  receiveGoogleCallback: 'Google, no caller of the account',
  receivePaymentEvent: 'the payment provider, no caller of the account; what changes is recorded',
};

describe('the audit trail', () => {
  it.each(recorded)('%s records %s with the actor, the address and the request', async (_, action, send) => {
    const sent = await send();
    const { response, token } = 'response' in sent ? sent : { response: sent, token: undefined };
    expect({ status: response.status, body: response.body, ok: response.status < 300 }).toMatchObject({ ok: true });
    const found = await eventsOf(response, token ?? response.body?.accessToken);
    expect(found.map((event) => event.action)).toContain(action);
    for (const { actor, ip, target } of found) {
      expect(actor).toEqual({
        kind: expect.stringMatching(/^(user|apiKey)$/),
        id: expect.stringMatching(/^[\w-]{10,}$/),
        name: expect.stringMatching(/^(Ada|Web shop)/),
      });
      expect(ip).toMatch(/^10\.\d+\.\d+\.\d+$/);
      expect(target.kind).toMatch(/^[a-z]+[A-Za-z]*$/);
    }
  });

  it('every write operation is either recorded or listed with a reason', async () => {
    const writing = operationsOf(await openApi(service)).filter(({ method }) => method !== 'GET');
    expect(writing.length).toBeGreaterThan(30);
    const known = new Set([
      ...recorded.map(([operation]) => operation),
      ...Object.keys({ ...notRecorded, ...heldElsewhere }),
    ]);
    const unknown = writing.map(({ id }) => id).filter((id) => !known.has(id));
    if (unknown.length > 0) {
      throw new Error(
        `${unknown.join(', ')}: record an event with AuditLog in the transaction of the change and add a row to ` +
          '`recorded` in audit.e2e-spec.ts and to docs/audit-trail.md, or give the reason in `notRecorded`',
      );
    }
  });

  it('docs/audit-trail.md lists exactly the events that the sources record', () => {
    const documented = documentedEvents();
    expect([...new Set(documented)]).toEqual(documented);
    const sources = sourcesOf('libs');
    const named = [...sources.matchAll(/(?:action: |recordEverywhere\(tx, \w+, |changeOf\(\w+, )'([a-z]\w*\.\w+)'/g)];
    const actions = [...named.map(([, action = '']) => action), ...recorded.map(([, action]) => action)];
    expect(named.length).toBeGreaterThan(20);
    expect(actions.filter((action) => !documented.includes(action))).toEqual([]);
    const isWritten = (action: string) => {
      const [noun, event] = action.split('.');
      // Some events are composed in the sources, such as `pass.${event}`.
      return sources.includes(`'${action}'`) || (sources.includes(`\`${noun}.$`) && sources.includes(`'${event}'`));
    };
    expect(documented.filter((action) => !isWritten(action))).toEqual([]);
  });

  it('the audit trail records neither failed requests nor requests that change nothing', async () => {
    await account.saveTemplate('offer', 'still');
    await account.post('/v1/pass/still/one', {});
    const harmless = [
      await account.saveTemplate('offer', 'still'),
      await account.post('/v1/templates/still/unarchive'),
      await account.post('/v1/pass/still/one/unvoid'),
      await account.patch('/v1/pass/still/one', { voided: false, code: 'NEW' }),
      await account.delete('/v1/templates/still'),
      await account.post('/v1/pass/still/none/void'),
      await account.delete('/v1/auth/keys/none'),
    ];
    expect(harmless.map(({ status }) => status)).toEqual([200, 200, 200, 200, 409, 404, 404]);
    for (const response of harmless) expect(await eventsOf(response)).toEqual([]);
  });

  it('the audit trail lists the changed properties of a template, and names images by their address', async () => {
    await account.saveTemplate('event', 'gala', { fields: [{ key: 'a', label: 'A', value: '1' }] });
    const { banner } = templateBody('event') as { banner: string };
    const icon = banner;
    const fields = [{ key: 'a', label: 'A', value: '2' }];
    const [event] = await eventsOf(await account.saveTemplate('event', 'gala', { icon, fields }));
    expect(event).toMatchObject({ action: 'template.changed', target: { kind: 'template', id: 'gala' } });
    expect([event?.before, event?.after]).toEqual([
      { icon: templateBody('event').icon, fields: [{ key: 'a', label: 'A', value: '1' }] },
      { icon, fields },
    ]);
  });

  it('the audit trail names the API key that made a change, until the key is revoked', async () => {
    const made = await account.post('/v1/auth/keys', { name: 'Robot', scopes: ['passes:write', 'passes:read'] });
    const { id, key: token, scopes } = made.body;
    expect(await eventsOf(made)).toMatchObject([
      { action: 'key.created', target: { kind: 'key', id }, before: null, after: { name: 'Robot', scopes } },
    ]);
    await account.post('/v1/pass/offer/robots', {});
    await service.request('POST', '/v1/pass/offer/robots/void', { token });
    expect(await events(`actor=${id}`)).toMatchObject([
      { action: 'pass.voided', actor: { kind: 'apiKey', id, name: 'Robot' }, target: { id: 'offer:robots' } },
    ]);
    await account.delete(`/v1/auth/keys/${id}`);
    expect(await events(`actor=${id}`)).toMatchObject([{ actor: { kind: 'apiKey', id, name: null } }]);
  });

  it("an event is recorded in the changed account, even if the caller's session is for another account", async () => {
    const other = await service.register();
    await service.request('POST', '/v1/templates/theirs', { token: other.token, body: templateBody('offer') });
    expect(await events('target=template:theirs')).toEqual([]);
    expect(await events('target=template:theirs', other.token)).toHaveLength(1);
  });

  it('403 forbidden for the audit trail with a key without account:write', async () => {
    const token = await account.apiKey('account:read', 'passes:write');
    const response = await service.request('GET', '/v1/account/events', { token });
    expect(response).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });

  it("the audit trail contains no secret and no holder's data", async () => {
    const secrets = [account.password, account.refreshToken, 'PRIVATE KEY', 'pw_live_', 'holder@example.com'];
    const text = JSON.stringify(await events());
    for (const secret of secrets) expect(text).not.toContain(secret);
  });
});

/** Reads the events from the first column of the document's table. There, `.x` after `a.b` means `a.x`. */
function documentedEvents(): string[] {
  const text = readFileSync(join(root, 'docs/audit-trail.md'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      let noun = '';
      return [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => {
        if (!name.startsWith('.')) noun = name.split('.')[0] ?? '';
        return name.startsWith('.') ? noun + name : name;
      });
    });
}

/** Reads all sources of a folder, except specs, as one text. */
function sourcesOf(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\/src\/.*(?<!spec|fixtures)\.ts$/.test(path) && !path.includes('node_modules'))
    .map((path) => readFileSync(join(root, folder, path), 'utf8'))
    .join('\n');
}
