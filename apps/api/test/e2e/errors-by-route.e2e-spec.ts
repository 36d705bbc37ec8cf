import { randomUUID } from 'node:crypto';
import { Clock } from '@passwright/core';
import { AuthGuard } from '@passwright/accounts';
import { Database } from '@passwright/database';
import { auditErrorCases } from '../error-cases/audit-error-cases.js';
import { billingErrorCases } from '../error-cases/billing-error-cases.js';
import { bundleErrorCases } from '../error-cases/bundle-error-cases.js';
import { certificateErrorCases } from '../error-cases/certificate-error-cases.js';
import { credentialsErrorCases } from '../error-cases/credentials-error-cases.js';
import { deviceErrorCases, type ErrorCase, expired } from '../error-cases/device-error-cases.js';
import { googleErrorCases } from '../error-cases/google-error-cases.js';
import { expectError } from '../support/expect-error.js';
import { heldPass, type HeldPass } from '../support/held-pass.js';
import {
  filled,
  isLenient,
  openApi,
  operationsOf,
  parsesJson,
  readsJson,
  type Operation,
} from '../support/operations.js';
import { draftErrorCases } from '../error-cases/draft-error-cases.js';
import { importErrorCases } from '../error-cases/import-error-cases.js';
import { membershipErrorCases } from '../error-cases/memberships-error-cases.js';
import { messageErrorCases } from '../error-cases/message-error-cases.js';
import { oidcErrorCases, unreachableProvider } from '../error-cases/oidc-error-cases.js';
import { peopleErrorCases } from '../error-cases/people-error-cases.js';
import { privacyErrorCases } from '../error-cases/privacy-error-cases.js';
import type { Account, ApiResponse, Request } from '../support/running-service.js';
import { passBody, RunningService, templateBody } from '../support/running-service.js';
import { storageErrorCases } from '../error-cases/storage-error-cases.js';
import { usageErrorCases } from '../error-cases/usage-error-cases.js';
import { webhookEventErrorCases } from '../error-cases/webhook-event-error-cases.js';
import { webhookErrorCases } from '../error-cases/webhook-error-cases.js';

/*
 * Produces every error that a route declares. Errors that many routes share are tested on each of these routes. The
 * others are in a table.
 */
let service: RunningService;
let limited: RunningService;
let closed: RunningService;
let operations: Operation[];
let account: Account;
let apiKey: string;
let passId: string;
let held: HeldPass;

beforeAll(async () => {
  service = await RunningService.start();
  limited = await RunningService.start({ RATE_LIMIT_PER_MINUTE: '1' }, service);
  closed = await RunningService.start(
    { REGISTRATION: 'closed', ...unreachableProvider, METRICS_TOKEN: 'x'.repeat(32) },
    service,
  );
  operations = operationsOf(await openApi(service));
  account = await service.register();
  apiKey = await account.apiKey();
  const issued = await account.issue('offer', { code: 'TAKEN' });
  passId = issued.body.pass.id;
  held = await heldPass(service, issued.body.walletAUrl);
  await account.saveTemplate('generic');
  await account.saveTemplate('offer', 'archived');
  await account.post('/v1/pass/archived/old', {});
  await account.post('/v1/templates/archived/archive');
});
afterAll(async () => {
  await Promise.all([limited.stop(), closed.stop()]);
  await service.stop();
});

describe('errors shared by routes of a kind', () => {
  const declaring = (error: string, kind: (operation: Operation) => boolean = () => true) =>
    operations.filter((operation) => operation.errors.includes(error) && kind(operation));
  const isSecured = ({ secured }: Operation) => secured;
  /** Returns the token of a caller that the route accepts. */
  const tokenFor = ({ errors }: Operation) => (takesKeysAlone(errors) ? apiKey : account.token);
  const call = ({ method, path, isForPhones }: Operation, request: Request, node = service) => {
    const phones =
      isForPhones && request.token
        ? { ...request, token: undefined, headers: { ...held.headers, ...request.headers } }
        : request;
    return node.request(method, filled(path, held.parameters), phones);
  };

  async function eachResponds(
    error: string,
    chosen: Operation[],
    send: (operation: Operation) => Promise<ApiResponse>,
  ) {
    expect(chosen.length).toBeGreaterThan(5);
    // Send several requests at a time, because each waits for the database most of the time.
    const queue = chosen.values();
    const lane = async () => {
      for (const operation of queue) {
        expectError(await send(operation), error, operation.id);
        expect({ operation: operation.id, errors: operation.errors }).toMatchObject({
          errors: expect.arrayContaining([error]) as object,
        });
      }
    };
    await Promise.all(Array.from({ length: 4 }, lane));
  }

  it('401 unauthorized without a credential', () =>
    eachResponds('401 unauthorized', declaring('401 unauthorized', isSecured), (operation) => call(operation, {})));

  it('401 token_expired with an expired access token', async () => {
    const later = new Date(Date.now() + 3_600_000);
    const clock = jest.spyOn(service.app.get(Clock), 'now').mockReturnValue(later);
    await eachResponds('401 token_expired', declaring('401 token_expired'), (operation) =>
      call(operation, { token: account.token }),
    );
    clock.mockRestore();
  });

  it('403 forbidden with an API key that lacks the scope, or with any key on routes for users', async () => {
    const [members, templates] = [await account.apiKey('members:read'), await account.apiKey('templates:read')];
    await eachResponds('403 forbidden', declaring('403 forbidden', isSecured), (operation) =>
      call(operation, { token: takesKeysAlone(operation.errors) ? templates : members }),
    );
  });

  it("403 api_key_required with a user's token, even that of an admin", () =>
    eachResponds('403 api_key_required', declaring('403 api_key_required'), (operation) =>
      call(operation, { token: account.token }),
    ));

  it('429 rate_limited with Retry-After beyond the limit', async () => {
    await eachResponds('429 rate_limited', declaring('429 rate_limited'), async (operation) => {
      const request = operation.secured ? { token: tokenFor(operation) } : {};
      await call(operation, request, limited);
      const response = await call(operation, request, limited);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      return response;
    });
  });

  it('500 internal for an unexpected failure, without revealing its cause', async () => {
    const guard = jest.spyOn(service.app.get(AuthGuard), 'canActivate').mockRejectedValue(new Error('SELECT secret'));
    await eachResponds('500 internal', declaring('500 internal'), async (operation) => {
      const response = await call(operation, {});
      expect(response.bytes.toString()).not.toContain('SELECT');
      return response;
    });
    guard.mockRestore();
  });

  it('503 not_ready with Retry-After while no database connection becomes free', async () => {
    const failure = new Error('timeout exceeded when trying to connect');
    const guard = jest.spyOn(service.app.get(AuthGuard), 'canActivate').mockRejectedValue(failure);
    await eachResponds('503 not_ready', declaring('503 not_ready'), async (operation) => {
      const response = await call(operation, {});
      expect(response.headers.get('retry-after')).toBe('1');
      return response;
    });
    guard.mockRestore();
  });

  it('400 malformed_json for a body that is not JSON', () =>
    eachResponds('400 malformed_json', operations.filter(parsesJson), (operation) =>
      call(operation, { token: tokenFor(operation), body: '{"title": "Summer' }),
    ));

  it('413 payload_too_large for a JSON body over 1 MiB, or over 16 KiB where no credential is needed', () =>
    eachResponds('413 payload_too_large', operations.filter(parsesJson), (operation) =>
      call(operation, {
        token: tokenFor(operation),
        body: { title: 'x'.repeat(operation.secured ? 2 ** 20 : 2 ** 14) },
      }),
    ));

  it('415 unsupported_media_type for a body that is not declared as JSON', () =>
    eachResponds('415 unsupported_media_type', operations.filter(readsJson), (operation) => {
      const type = operation.source.requestBody ? 'text/plain' : 'application/json; charset=utf-16';
      return call(operation, { token: tokenFor(operation), body: 'title=Summer', headers: { 'Content-Type': type } });
    }));

  it('409 idempotency_key_reused for another body with the same key', () =>
    eachResponds('409 idempotency_key_reused', declaring('409 idempotency_key_reused'), async (operation) => {
      const token = tokenFor(operation);
      const headers = { 'Idempotency-Key': randomUUID() };
      await call(operation, { token, headers, body: { first: 1 } });
      return call(operation, { token, headers, body: { second: 2 } });
    }));

  it('400 validation_failed for a query that is not UTF-8', () =>
    eachResponds('400 validation_failed', declaring('400 validation_failed'), ({ method, path }) =>
      service.request(method, `${filled(path, held.parameters)}?x=%FF`),
    ));

  it('400 validation_failed for an invalid Idempotency-Key', () =>
    eachResponds('400 validation_failed', operations.filter(takesKey), (operation) =>
      call(operation, { token: tokenFor(operation), headers: { 'Idempotency-Key': 'two words' } }),
    ));
});

/** The errors that the tests above produce on every route that declares them. */
const common = new Set([
  '401 token_expired',
  '403 api_key_required',
  '429 rate_limited',
  '500 internal',
  '503 not_ready',
  '400 malformed_json',
  '409 idempotency_key_reused',
]);
const takesKey = ({ source }: Operation) => JSON.stringify(source.parameters ?? []).includes('Idempotency-Key');
const takesKeysAlone = (errors: readonly string[]) => errors.includes('403 api_key_required');
const takesJson = (operation: Operation) =>
  operation.source.requestBody?.content?.['application/json'] !== undefined && !isLenient(operation);
const isCommon = (operation: Operation, error: string) =>
  common.has(error) ||
  (operation.secured && ['401 unauthorized', '403 forbidden'].includes(error)) ||
  (!takesJson(operation) && error === '400 validation_failed') ||
  (readsJson(operation) && error === '415 unsupported_media_type') ||
  (parsesJson(operation) && error === '413 payload_too_large');

const get = (path: string) => () => account.get(path);
const post =
  (path: string, body: object = {}, headers?: Record<string, string>) =>
  () =>
    account.post(path, body, headers);
const patch = (path: string, body: object, headers?: Record<string, string>) => () =>
  account.patch(path, body, headers);
const del = (path: string, headers?: Record<string, string>) => () =>
  service.request('DELETE', path, { token: account.token, headers });
const sendTo = (path: string, to = 'ada@example.com') => post(`${path}/send`, { to });
const anonymous = (method: string, path: string, body?: object) => () => service.request(method, path, { body });
const offer = (changes: object = {}) => ({ ...templateBody('offer'), ...changes });
const generic = (changes: object = {}) => ({ ...passBody('generic'), ...changes });
const stale = { 'If-Match': '"stale"' };
const outdated = ['412 precondition_failed', 'If-Match names another version'] as const;
const noImage = 'http://localhost:3000/images/samples/none.png';
const publicPass = (kind: string) => () => service.request('GET', `/v1/pass/${account.id}/offer/${passId}/${kind}`);

function upload(part: string, content: Blob) {
  return () => {
    const form = new FormData();
    form.append(part, content, 'image.png');
    return service.request('POST', '/v1/templates/offer/images', { token: account.token, body: form });
  };
}

const cases: ErrorCase[] = [
  ['getLiveness', '400 validation_failed', 'the query is not UTF-8', anonymous('GET', '/health/live?x=%FF')],
  ['getReadiness', '400 validation_failed', 'the query is not UTF-8', anonymous('GET', '/health/ready?x=%FF')],
  ['getReadiness', '503 not_ready', 'the database does not respond', databaseDown],
  ['readMetrics', '400 validation_failed', 'the query is not UTF-8', anonymous('GET', '/metrics?x=%FF')],
  ['readMetrics', '401 unauthorized', 'the token is not sent', () => closed.request('GET', '/metrics')],
  ['register', '400 validation_failed', 'there is no password', post('/v1/auth/register', { email: 'a@b.example' })],
  [
    'register',
    '403 forbidden',
    'registration is closed',
    () => closed.request('POST', '/v1/auth/register', { body: registration() }),
  ],
  [
    'register',
    '409 email_taken',
    'a user has the e-mail',
    () => service.request('POST', '/v1/auth/register', { body: registration(account.email) }),
  ],
  [
    'login',
    '400 validation_failed',
    'there is no password',
    anonymous('POST', '/v1/auth/login', { email: 'a@b.example' }),
  ],
  [
    'login',
    '401 unauthorized',
    'the password is wrong',
    () => service.request('POST', '/v1/auth/login', { body: { email: account.email, password: 'wrong' } }),
  ],
  ['refreshTokens', '400 validation_failed', 'there is no token', anonymous('POST', '/v1/auth/refresh')],
  [
    'refreshTokens',
    '401 unauthorized',
    'the token is invalid',
    anonymous('POST', '/v1/auth/refresh', { refreshToken: 'x' }),
  ],
  ['logout', '400 validation_failed', 'there is no token', anonymous('POST', '/v1/auth/logout')],
  ['switchAccount', '400 validation_failed', 'there is no account', post('/v1/auth/switch')],
  [
    'createApiKey',
    '400 validation_failed',
    'a scope is unknown',
    post('/v1/auth/keys', { name: 'x', scopes: ['all'] }),
  ],
  ['listApiKeys', '400 validation_failed', 'the cursor is forged', get('/v1/auth/keys?cursor=x')],
  ['revokeApiKey', '404 key_not_found', 'there is no such key', del('/v1/auth/keys/none')],
  ['rotateApiKey', '404 key_not_found', 'there is no such key', post('/v1/auth/keys/none/rotate')],

  ...certificateErrorCases({ service: () => service }),

  [
    'upsertTemplate',
    '400 validation_failed',
    'a required property is missing',
    post('/v1/templates/t', { type: 'offer' }),
  ],
  ['upsertTemplate', '400 image_invalid', 'an image fails to load', post('/v1/templates/t', offer({ icon: noImage }))],
  ['upsertTemplate', '409 template_archived', 'it is archived', post('/v1/templates/archived', offer())],
  [
    'upsertTemplate',
    '409 invalid_transition',
    'the type would change under its passes',
    post('/v1/templates/offer', templateBody('event')),
  ],
  ['upsertTemplate', ...outdated, post('/v1/templates/offer', offer(), stale)],
  ['getTemplate', '404 template_not_found', 'there is no such template', get('/v1/templates/none')],
  ['deleteTemplate', '404 template_not_found', 'there is no such template', del('/v1/templates/none')],
  ['deleteTemplate', ...outdated, del('/v1/templates/offer', stale)],
  ['deleteTemplate', '409 template_in_use', 'it has passes', del('/v1/templates/offer')],
  ['listTemplates', '400 validation_failed', 'the limit is over 100', get('/v1/templates?limit=101')],
  ['archiveTemplate', '404 template_not_found', 'there is no such template', post('/v1/templates/none/archive')],
  ['archiveTemplate', ...outdated, post('/v1/templates/offer/archive', {}, stale)],
  ['unarchiveTemplate', ...outdated, post('/v1/templates/archived/unarchive', {}, stale)],
  ['unarchiveTemplate', '404 template_not_found', 'there is no such template', post('/v1/templates/none/unarchive')],
  [
    'uploadTemplateImages',
    '400 validation_failed',
    'a part is no image of a template',
    upload('photo', new Blob(['x'])),
  ],
  ['uploadTemplateImages', '400 image_invalid', 'a part cannot be decoded', upload('icon', new Blob(['x']))],
  [
    'uploadTemplateImages',
    '413 payload_too_large',
    'an image is over 5 MiB',
    upload('icon', new Blob([Buffer.alloc(5 * 2 ** 20 + 1)])),
  ],
  [
    'uploadTemplateImages',
    '415 unsupported_media_type',
    'the body is JSON',
    post('/v1/templates/offer/images', { icon: 'x' }),
  ],
  ['getSampleImage', '404 not_found', 'there is no such sample', anonymous('GET', '/images/samples/none.png')],
  ['getImage', '404 not_found', 'there is no such image', anonymous('GET', `/images/acc_x/${'0'.repeat(64)}.png`)],

  ['createPass', '400 validation_failed', 'the template wants a primary value', post('/v1/pass/generic', {})],
  [
    'createPass',
    '400 image_invalid',
    'the thumbnail fails to load',
    post('/v1/pass/generic', generic({ thumbnail: noImage })),
  ],
  ['createPass', '404 template_not_found', 'there is no such template', post('/v1/pass/none', {})],
  ['createPass', '409 template_archived', 'the template is archived', post('/v1/pass/archived', {})],
  ['createPass', '409 pass_exists', 'a pass of the template has the code', post('/v1/pass/offer', { code: 'TAKEN' })],
  ['listPasses', '400 validation_failed', 'a filter is not a date', get('/v1/pass/offer?updatedSince=yesterday')],
  ['listPasses', '404 template_not_found', 'there is no such template', get('/v1/pass/none')],
  ['upsertPass', '400 validation_failed', 'the id in the path is malformed', post('/v1/pass/offer/_', {})],
  [
    'upsertPass',
    '400 image_invalid',
    'the thumbnail fails to load',
    post('/v1/pass/generic/a', generic({ thumbnail: noImage })),
  ],
  ['upsertPass', '404 template_not_found', 'there is no such template', post('/v1/pass/none/a', {})],
  ['upsertPass', '409 template_archived', 'the template is archived', post('/v1/pass/archived/old', {})],
  [
    'upsertPass',
    '409 pass_exists',
    'another pass of the template has the code',
    post('/v1/pass/offer/another', { code: 'TAKEN' }),
  ],
  ['upsertPass', ...outdated, post('/v1/pass/offer/another', {}, stale)],
  ['getPass', '404 pass_not_found', 'there is no such pass', get('/v1/pass/offer/none')],
  [
    'updatePass',
    '400 validation_failed',
    'the result expires before it begins',
    patch('/v1/pass/archived/old', { validFrom: '2027-01-01T00:00:00Z', expiry: '2026-01-01T00:00:00Z' }),
  ],
  ['updatePass', '400 image_invalid', 'the thumbnail fails to load', thumbnailPatch],
  ['updatePass', '404 pass_not_found', 'there is no such pass', patch('/v1/pass/offer/none', {})],
  ['updatePass', '409 pass_exists', 'another pass of the template has the code', codePatch],
  ['updatePass', ...outdated, patch('/v1/pass/archived/old', {}, stale)],
  [
    'updatePassMetadata',
    '400 validation_failed',
    'the metadata is over 5000 characters',
    patch('/v1/pass/archived/old/metadata', { metadata: { note: 'x'.repeat(5000) } }),
  ],
  [
    'updatePassMetadata',
    '404 pass_not_found',
    'there is no such pass',
    patch('/v1/pass/offer/none/metadata', { metadata: {} }),
  ],
  ['updatePassMetadata', ...outdated, patch('/v1/pass/archived/old/metadata', { metadata: {} }, stale)],
  ['previewPass', '400 validation_failed', 'the wallet is unknown', get('/v1/pass/offer/a/preview?wallet=walletC')],
  ['previewPass', '404 pass_not_found', 'there is no such pass', get('/v1/pass/offer/none/preview')],
  ['getPassDelivery', '400 validation_failed', 'the limit is over 100', get('/v1/pass/offer/a/delivery?limit=101')],
  ['getPassDelivery', '404 pass_not_found', 'there is no such pass', get('/v1/pass/offer/none/delivery')],
  ['voidPass', '404 pass_not_found', 'there is no such pass', post('/v1/pass/offer/none/void')],
  ['voidPass', ...outdated, post('/v1/pass/archived/old/void', {}, stale)],
  ['unvoidPass', '404 pass_not_found', 'there is no such pass', post('/v1/pass/offer/none/unvoid')],
  ['unvoidPass', ...outdated, post('/v1/pass/archived/old/unvoid', {}, stale)],
  ['unvoidPass', '409 invalid_transition', 'the template is archived', post('/v1/pass/archived/old/unvoid')],
  ['redeemPass', '404 pass_not_found', 'there is no such pass', post('/v1/pass/offer/none/redeem')],
  ['redeemPass', ...outdated, post('/v1/pass/archived/old/redeem', {}, stale)],
  ['redeemPass', '409 invalid_transition', 'the pass is void', post('/v1/pass/archived/old/redeem')],
  [
    'sendPass',
    '400 validation_failed',
    'two recipients are named',
    sendTo('/v1/pass/offer/none', 'a@b.example,c@d.example'),
  ],
  ['sendPass', '404 pass_not_found', 'there is no such pass', sendTo('/v1/pass/offer/none')],
  ['sendPass', '409 template_archived', 'the template is archived', sendTo('/v1/pass/archived/old')],
  ['sendPass', '409 invalid_transition', 'the pass is void', sendVoid],
  ['listPassMails', '400 validation_failed', 'the limit is over 100', get('/v1/pass/offer/a/mails?limit=101')],
  ['listPassMails', '404 pass_not_found', 'there is no such pass', get('/v1/pass/offer/none/mails')],
  ['deletePass', '404 pass_not_found', 'there is no such pass', del('/v1/pass/offer/none')],
  ['deletePass', ...outdated, del('/v1/pass/archived/old', stale)],

  [
    'getApplePass',
    '404 pass_not_found',
    'there is no such pass',
    anonymous('GET', '/v1/pass/acc_x/offer/none/walletA'),
  ],
  ['getApplePass', '503 wallet_unavailable', 'the certificate has expired', certificateExpired],
  ...peopleErrorCases({ service: () => service, account: () => account }),
  ...oidcErrorCases({ off: () => service, on: () => closed }),
  ...credentialsErrorCases({ service: () => service, account: () => account }),
  ...googleErrorCases({ service: () => service, account: () => account }),
  ...billingErrorCases({ service: () => service }),
  ...bundleErrorCases({ service: () => service, account: () => account }),
  ...auditErrorCases({ account: () => account }),
  ...privacyErrorCases({ account: () => account }),
  ...deviceErrorCases({ service: () => service, held: () => held }),
  ...usageErrorCases(() => service),
  ...webhookErrorCases({ service: () => service, account: () => account }),
  ...webhookEventErrorCases({ account: () => account }),
  ...storageErrorCases({ service: () => service, account: () => account, held: () => held }),
  ...importErrorCases({ service: () => service }),
  ...membershipErrorCases({ service: () => service }),
  ...draftErrorCases({ account: () => account }),
  ...messageErrorCases({ account: () => account }),
  ['getWebView', '404 pass_not_found', 'there is no such pass', anonymous('GET', '/p/acc_x/offer/none')],
];

function registration(email = `${randomUUID()}@example.com`) {
  return { email, password: randomUUID(), name: 'Ada', accountName: 'Analytical Engines' };
}

function databaseDown(): Promise<ApiResponse> {
  jest.spyOn(service.app.get(Database), 'proveWritable').mockRejectedValueOnce(new Error('connect ECONNREFUSED'));
  return service.request('GET', '/health/ready');
}

function certificateExpired(): Promise<ApiResponse> {
  return expired(service, publicPass('walletA'));
}

async function thumbnailPatch(): Promise<ApiResponse> {
  const { body } = await account.post('/v1/pass/generic', generic());
  return account.patch(`/v1/pass/generic/${body.pass.id}`, { thumbnail: noImage });
}

async function sendVoid(): Promise<ApiResponse> {
  const { body } = await account.post('/v1/pass/offer', { voided: true });
  return sendTo(`/v1/pass/offer/${body.pass.id}`)();
}

async function codePatch(): Promise<ApiResponse> {
  const { body } = await account.post('/v1/pass/offer', {});
  return account.patch(`/v1/pass/offer/${body.pass.id}`, { code: 'TAKEN' });
}

describe('errors of single routes', () => {
  it.each(cases)('%s responds with %s when %s', async (operation, error, _when, send) => {
    expectError(await send(), error, operation);
  });
});

it('the table has one case for every error that the document declares, and no others', () => {
  const named = (isMeant: (operation: Operation, error: string) => boolean) =>
    operations.flatMap((operation) =>
      operation.errors.filter((error) => isMeant(operation, error)).map((error) => `${operation.id} ${error}`),
    );
  const tried = cases.map(([operation, error]) => `${operation} ${error}`);
  expect(named((operation, error) => !isCommon(operation, error)).filter((each) => !tried.includes(each))).toEqual([]);
  expect(tried.filter((each) => !named(() => true).includes(each))).toEqual([]);
});
