import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testCertificates } from '@passwright/testing';
import sharp from 'sharp';
import { heldPass, type HeldPass } from '../support/held-pass.js';
import { mailedCodes } from '../support/mailed-codes.js';
import { Agent } from '../support/mcp-agent.js';
import type { Json } from '../support/json.js';
import { bodySchema, filled, openApi, operationsOf, type Operation } from '../support/operations.js';
import { RunningService, templateTypes, type ApiResponse } from '../support/running-service.js';
import { exampleOf, shapeProblems } from '../support/schema-shape.js';

const root = join(__dirname, '../../../..');
const credential = testCertificates().pass();
let service: RunningService;
let document: Json;
let operations: Map<string, Operation>;

beforeAll(async () => {
  // Google is unreachable at this address.
  service = await RunningService.start({
    GOOGLE_WALLET_URL: 'http://127.0.0.1:9',
    GOOGLE_TOKEN_URL: 'http://127.0.0.1:9/token',
    WEBHOOK_HOSTS_ALLOWED: '127.0.0.1:9',
  });
  document = await openApi(service);
  operations = new Map(operationsOf(document).map((operation) => [operation.id, operation]));
});
afterAll(() => service.stop());

/** Values from earlier responses, for the paths and bodies of later calls. */
interface Known {
  token: string;
  /** The key for operations that accept no other credential. */
  apiKey: string;
  refreshToken: string;
  accountId: string;
  keyId: string;
  imagePath: string;
  held: HeldPass;
}

describe('the documented examples', () => {
  const known: Known = {
    token: '',
    apiKey: '',
    refreshToken: '',
    accountId: '',
    keyId: '',
    imagePath: '',
    held: { parameters: {}, headers: {} } as HeldPass,
  };
  const tried = new Set<string>();

  function operation(id: string): Operation {
    const found = operations.get(id);
    if (!found) throw new Error(`no operation ${id}`);
    tried.add(id);
    return found;
  }

  /** Returns the examples of a body. If there are none, returns a body made from the examples of its properties. */
  function examples(id: string): Record<string, Json> {
    const { examples } = operation(id).source.requestBody.content['application/json'];
    if (!examples) return { example: exampleOf(document, bodySchema(operation(id))) };
    return Object.fromEntries(Object.entries<Json>(examples).map(([name, { value }]) => [name, value]));
  }

  /** Calls an operation with the examples of its parameters, and checks the response against its schema. */
  async function call(
    id: string,
    body?: unknown,
    parameters: Record<string, string> = {},
    query = '',
  ): Promise<ApiResponse> {
    const { method, path, source, secured, isForPhones, errors } = operation(id);
    const given = (source.parameters as Json[] | undefined)?.map(({ name, example, schema }) => [
      name,
      example ?? schema?.example,
    ]);
    const target = filled(path, {
      ...Object.fromEntries(given ?? []),
      accountId: known.accountId,
      keyId: known.keyId,
      ...known.held.parameters,
      ...parameters,
    });
    const token = errors.includes('403 api_key_required') ? known.apiKey : known.token;
    const credential = isForPhones ? { headers: known.held.headers } : { token: secured ? token : undefined };
    const reply = await service.request(method, target + query, { ...credential, body });
    const declared = source.responses[String(reply.status)];
    expect({ id, body: reply.body, ok: reply.status < 300 && declared !== undefined }).toEqual({
      id,
      body: reply.body,
      ok: true,
    });
    const schema = declared.content?.['application/json']?.schema;
    expect([id, schema ? shapeProblems(document, schema, reply.body) : []]).toEqual([id, []]);
    if (!schema && !declared.content) expect(reply.bytes).toHaveLength(0);
    return reply;
  }

  /** Sends a body of lines. */
  async function sendLines(id: string, parameters: Record<string, string> = {}): Promise<void> {
    const { path, method, source } = operation(id);
    for (const [type, { examples }] of Object.entries<Json>(source.requestBody.content)) {
      for (const { value } of Object.values<Json>(examples)) {
        const headers = { 'Content-Type': type };
        const reply = await service.request(method, filled(path, parameters), {
          token: known.apiKey || known.token,
          body: value,
          headers,
        });
        expect([type, reply.status, reply.bytes.toString()]).toEqual([
          type,
          200,
          expect.stringMatching(/^\{"index":0,/),
        ]);
      }
    }
  }

  const signIn = ({ body }: ApiResponse) =>
    Object.assign(known, { token: body.accessToken, refreshToken: body.refreshToken, accountId: body.accountId });

  it('the documented examples register a user, log in and manage keys', async () => {
    signIn(await call('register', examples('register').example));
    for (const body of Object.values(examples('login'))) signIn(await call('login', body));
    signIn(await call('refreshTokens', { ...examples('refreshTokens').example, refreshToken: known.refreshToken }));
    signIn(await call('switchAccount', { ...examples('switchAccount').example, accountId: known.accountId }));
    for (const body of Object.values(examples('createApiKey'))) {
      known.keyId = (await call('createApiKey', body)).body.id;
    }
    await call('listApiKeys');
    await call('rotateApiKey');
    await call('revokeApiKey');
  });

  it('the registration example and the README register different users, so that a reader can run both', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const registered = /auth\/register.*"email":"([^"]+)"/.exec(readme)?.[1];
    expect(registered).toMatch(/@example\.com$/);
    expect(examples('register').example?.email).not.toBe(registered);
    expect(examples('login')['The user of the registration example']).toMatchObject({
      email: examples('register').example?.email,
      password: examples('register').example?.password,
    });
  });

  it('the documented examples read and change accounts and users, create an account, and invite people', async () => {
    await call('getAccount');
    for (const patch of Object.values(examples('updateAccount'))) await call('updateAccount', patch);
    await call('getMe');
    await call('updateMe', examples('updateMe').example);
    await call('createAccount', examples('createAccount').example);
    const { ref } = (await call('inviteUser', examples('inviteUser').example)).body;
    await call('listInvites');
    await call('revokeInvite', undefined, { code: ref });
    const { code } = (await call('inviteUser', examples('inviteUser').example)).body;
    await call('getInvite', undefined, { code });
    await call('acceptInvite', examples('acceptInvite')['A new user'], { code });
    const { uid } = (await call('getAccount')).body.members[1];
    await call('updateAccountMember', examples('updateAccountMember').example, { uid });
    await call('removeAccountMember', undefined, { uid });
  });

  it('the documented examples reset a forgotten password, change password and e-mail, and list sessions', async () => {
    const login = examples('login')['The user of the registration example'];
    const { refreshToken } = (await call('login', login)).body;
    const { data } = (await call('listSessions')).body;
    const other = data.find(({ id, current }: Json) => !current && refreshToken.includes(id));
    await call('revokeSession', undefined, { sessionId: other.id });
    await call('revokeOtherSessions');
    await call('changePassword', examples('changePassword').example);
    const mailed = mailedCodes(service.dataDir);
    const form = (values: Record<string, string>) => new URLSearchParams(values).toString();
    await call('forgotPassword', examples('forgotPassword').example);
    await call('resetPassword', {
      ...examples('resetPassword').example,
      code: await mailed('password/reset', login.email),
    });
    await call('showForgotPassword');
    await call('sendForgotPassword', form({ email: login.email }));
    const code = await mailed('password/reset', login.email);
    await call('showPasswordReset', undefined, {}, `?code=${code}`);
    await call('sendPasswordReset', form({ code, password: login.password }));
    signIn(await call('login', login));
    const changed = examples('changeEmail').example;
    await call('changeEmail', changed);
    await call('confirmEmail', { code: await mailed('email/confirm', changed.email) });
    await call('changeEmail', login);
    const back = await mailed('email/confirm', login.email);
    await call('showEmailConfirmation', undefined, {}, `?code=${back}`);
    await call('sendEmailConfirmation', form({ code: back }));
    await call('inviteUser', { email: 'charles@example.com' });
    const invited = { code: await mailed('invites', 'charles@example.com') };
    await call('showInvitePage', undefined, invited);
    await call('sendInvitePage', form({ name: 'Charles', password: login.password }), invited);
  });

  it('the documented operations request, upload, read and remove a certificate', async () => {
    await call('requestAppleCertificate');
    const { certificatePem, privateKeyPem, intermediatePem } = credential;
    const own = { certificate: certificatePem, privateKey: privateKeyPem, intermediate: intermediatePem };
    const saved = await call('saveAppleCertificate', own);
    expect((await call('getAppleCertificate')).body).toEqual(saved.body);
    await call('deleteAppleCertificate');
  });

  it('the documented operations set, read and remove a Google Wallet issuer while Google is unreachable', async () => {
    const { issuerId, serviceAccount: keyFile } = examples('saveGoogleServiceAccount').example;
    // The document shortens the key.
    const serviceAccount = { ...keyFile, private_key: credential.privateKeyPem };
    const saved = await call('saveGoogleServiceAccount', { issuerId, serviceAccount });
    const { check, ...shown } = saved.body;
    expect(check).toEqual({ works: false, problem: expect.stringContaining('could not be asked') });
    expect((await call('getGoogleServiceAccount')).body).toEqual(shown);
    await call('deleteGoogleServiceAccount');
  });

  it('the documented operations upload images, and the examples save a template of each type', async () => {
    const image = await sharp({ create: { width: 200, height: 200, channels: 3, background: '#357' } })
      .png()
      .toBuffer();
    const form = new FormData();
    form.append('icon', new Blob([image]), 'icon.png');
    known.imagePath = (await call('uploadTemplateImages', form)).body.icon;
    const [, , accountId = '', file = ''] = new URL(known.imagePath).pathname.split('/');
    await call('getImage', undefined, { accountId, file });
    await call('getSampleImage');
    const bodies = examples('upsertTemplate');
    expect(Object.keys(bodies)).toEqual(templateTypes);
    for (const [templateId, body] of Object.entries(bodies)) {
      expect(await call('upsertTemplate', body, { templateId })).toMatchObject({ body });
      for (const id of ['getTemplate', 'previewTemplate', 'getGoogleProgress'])
        await call(id, undefined, { templateId });
    }
    await call('upsertTemplate', bodies.offer);
    for (const body of Object.values(examples('lintTemplate'))) await call('lintTemplate', body);
    for (const body of Object.values(examples('previewDraft'))) await call('previewDraft', body);
    await call('listTemplates');
    await call('archiveTemplate');
    await call('unarchiveTemplate');
    await call('deleteTemplate');
  });

  it('the documented examples issue passes of each type, and change, void, redeem and delete them', async () => {
    for (const [name, body] of Object.entries(examples('createPass'))) {
      for (const templateId of name === 'labelled' ? ['generic', 'membership'] : [name]) {
        await call('createPass', body, { templateId });
        await call('upsertPass', examples('upsertPass')[name], { templateId });
        for (const patch of Object.values(examples('updatePass'))) await call('updatePass', patch, { templateId });
        await call('updatePassMetadata', examples('updatePassMetadata').example, { templateId });
        for (const id of ['getPass', 'previewPass', 'getPassDelivery', 'voidPass', 'unvoidPass', 'listPasses'])
          await call(id, undefined, { templateId });
        for (const id of ['getApplePass', 'getGooglePass', 'getWebView']) await call(id, undefined, { templateId });
        await call('sendPass', examples('sendPass').example, { templateId });
        await call('createPassMessage', examples('createPassMessage').example, { templateId });
        for (const id of ['listPassMails', 'listPassMessages', 'redeemPass', 'deletePass'])
          await call(id, undefined, { templateId });
      }
    }
  });

  it('the documented examples plan, follow and cancel a message to many holders', async () => {
    const { example } = examples('createTemplateMessage');
    const settings = await call('putMessageSettings', examples('putMessageSettings').example);
    expect((await call('getMessageSettings')).body).toEqual(settings.body);
    await call('dryRunTemplateMessage', examples('dryRunTemplateMessage').example, { templateId: 'offer' });
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const planned = await call('createTemplateMessage', { ...example, sendAt }, { templateId: 'offer' });
    const at = { messageId: planned.body.id };
    await call('listMessages');
    for (const id of ['getMessage', 'listMessageRecipients', 'pauseMessage', 'resumeMessage', 'cancelMessage'])
      await call(id, undefined, at);
  });

  it('the documented examples issue many passes', () => sendLines('createPasses', { templateId: 'offer' }));

  it('the documented operations add a pass to a phone and delete it there', async () => {
    const { walletAUrl } = (await call('createPass', {}, { templateId: 'offer' })).body;
    known.held = await heldPass(service, walletAUrl);
    const name = walletAUrl.split('/').slice(-3, -1).join(':');
    for (const id of ['getAppleBundle', 'getGoogleBundle', 'getBundlePage'])
      await call(id, undefined, {}, `?pass=${name}`);
    await call('registerDevice', examples('registerDevice').example);
    await call('listUpdatedPasses');
    await call('getLatestPass');
    await call('logFromDevice', examples('logFromDevice').example);
    await call('unregisterDevice');
  });

  it('the documented operations confirm and reject the plan of an agent', async () => {
    const { body: made } = await call('createPass', {}, { templateId: 'offer' });
    const { key } = (await call('createApiKey', { name: 'Agent', supervised: true })).body;
    const agent = await Agent.connect(service, key);
    await agent.result('voidPass', { templateId: 'offer', passId: made.pass.id });
    const [{ id: planId }] = (await call('listAgentPlans')).body.data;
    await call('getAgentPlan', undefined, { planId });
    await call('confirmAgentPlan', undefined, { planId });
    await call('rejectAgentPlan', undefined, { planId });
  });

  it('the documented examples manage memberships with an API key', async () => {
    const key = { name: 'Back office', scopes: ['members:read', 'members:write'] };
    known.apiKey = (await call('createApiKey', key)).body.key;
    const saved = await call('putMembershipSettings', examples('putMembershipSettings').example);
    expect((await call('getMembershipSettings')).body).toEqual(saved.body);
    const made = await call('createMember', examples('createMember').example);
    expect((await call('getMember')).body).toEqual(made.body);
    await call('suspendMember');
    await call('activateMember');
    await call('renewMember', examples('renewMember').example);
    await call('updateMember', examples('updateMember').example);
    await call('listMembers');
    await sendLines('importMembers');
    await call('cancelMember');
    await call('deleteMember');
  });

  it('the documented examples create, change and test a webhook, and list its events', async () => {
    const [called, fetching] = Object.values(examples('createWebhook'));
    await call('createWebhook', fetching);
    const at = { webhookId: (await call('createWebhook', called)).body.id };
    await call('listWebhooks');
    await call('updateWebhook', examples('updateWebhook').example, at);
    // No server listens at this address.
    await call('updateWebhook', { url: 'http://127.0.0.1:9/', types: null }, at);
    await call('rotateWebhookSecret', examples('rotateWebhookSecret').example, at);
    const { body: tested } = await call('testWebhook', undefined, at);
    const problem = 'No response arrived within 15 s: check its host, port and certificate.';
    expect(tested).toMatchObject({ delivered: false, problem });
    await call('createPass', {}, { templateId: 'offer' });
    await call('listWebhookEvents', undefined, at);
    const { body: deliveries } = await call('listWebhookDeliveries', undefined, at);
    await call('replayWebhookDelivery', undefined, { ...at, eventId: deliveries.data[0].eventId });
    await call('replayWebhookDeliveries', examples('replayWebhookDeliveries').example, at);
    await call('getWebhook', undefined, at);
    await call('deleteWebhook', undefined, at);
  });

  it('the documented operations export the account, delete it and cancel the deletion', async () => {
    await call('exportAccount');
    await call('deleteAccount', { password: examples('login')['The user of the registration example'].password });
    await call('keepAccount');
  });

  it('the documented examples read the audit trail and the usage, and export and erase a holder', async () => {
    await call('listAccountEvents');
    await call('listUsage');
    await call('listUsageDays');
    for (const id of ['exportHolder', 'eraseHolder']) {
      for (const body of Object.values(examples(id))) await call(id, body);
    }
  });

  it('the documented operations read health and metrics, and log a user out', async () => {
    await call('getLiveness');
    await call('getReadiness');
    await call('readMetrics');
    await call('logout', { ...examples('logout').example, refreshToken: known.refreshToken });
  });

  it('the tests above call every operation except sign-in at a provider and requests that Google or Stripe sign', () => {
    const signIn = ['startSignIn', 'completeSignIn', 'confirmSignIn', 'redeemSignInCode'];
    const untried = [...operations.keys()].filter((id) => !tried.has(id));
    expect(untried.sort()).toEqual([...signIn, 'receiveGoogleCallback', 'receivePaymentEvent'].sort());
  });
});
