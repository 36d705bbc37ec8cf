import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { FaultyService, rejection, type Responder } from './s3-faults.fixtures.js';
import { S3RequestFailed } from './s3-failure.js';
import { S3Storage } from './s3-storage.js';
import type { S3Store } from '../storage.options.js';

let service: FaultyService;
beforeAll(async () => {
  service = await FaultyService.start();
});
afterAll(() => service.stop());

/** Tries to store a blob, and returns the hint of the resulting error. */
async function hintWith(store: Partial<S3Store> = {}): Promise<string | null> {
  const storage = await S3Storage.load({ ...service.store({ attempts: 1 }), ...store });
  const stored = storage.put('images/acc_1/a.png', Buffer.from('x'), 'image/png');
  const failure: unknown = await stored.catch((error: unknown) => error);
  storage.onApplicationShutdown();
  const { cause } = failure as { cause: S3RequestFailed };
  expect(cause).toBeInstanceOf(S3RequestFailed);
  if (cause.hint !== null) expect(cause.message).toBe(`${cause.reason} ${cause.hint}`);
  return cause.hint;
}

it.each([
  [403, 'AccessDenied', /s3:ListBucket/],
  [403, 'InvalidAccessKeyId', /^Correct S3_ACCESS_KEY_ID/],
  [403, 'SignatureDoesNotMatch', /^Correct S3_SECRET_ACCESS_KEY/],
  [403, 'RequestTimeTooSkewed', /NTP/],
  [400, 'ExpiredToken', /S3_SESSION_TOKEN/],
  [400, 'InvalidToken', /S3_SESSION_TOKEN/],
  [404, 'NoSuchBucket', /Create the bucket/],
  [400, 'KMS.NotFoundException', /S3_KMS_KEY_ID/],
  [400, 'IllegalLocationConstraintException', /another region/],
])('S3RequestFailed suggests a remedy for %d %s', async (status, code, hint) => {
  service.script(rejection(status, code));
  expect(await hintWith()).toMatch(hint);
});

it('S3RequestFailed names the environment if the rejected key comes from the environment', async () => {
  const key = jest.replaceProperty(process, 'env', {
    ...process.env,
    AWS_ACCESS_KEY_ID: 'AKIAOTHER',
    AWS_SECRET_ACCESS_KEY: 'secret',
  });
  service.script(rejection(403, 'InvalidAccessKeyId'));
  expect(await hintWith({ credentials: undefined })).toMatch(/identity of the environment/);
  key.restore();
});

it('S3RequestFailed names the region of a bucket if the response contains the region', async () => {
  const body = (code: string, more = '') => `<Error><Code>${code}</Code><Message>No.</Message>${more}</Error>`;
  const header: Responder = (response) =>
    response.writeHead(301, { 'x-amz-bucket-region': 'eu-west-3' }).end(body('PermanentRedirect'));
  const element: Responder = (response) =>
    response.writeHead(400).end(body('AuthorizationHeaderMalformed', '<Region>auto</Region>'));
  service.script(header);
  expect(await hintWith()).toBe('The bucket is in another region: set S3_REGION=eu-west-3.');
  service.script(element);
  expect(await hintWith()).toBe('The bucket is in another region: set S3_REGION=auto.');
});

it('S3RequestFailed suggests S3_PATH_STYLE if the host of a bucket does not exist', async () => {
  const { port } = new URL(service.store().endpoint!);
  expect(await hintWith({ endpoint: `http://localhost:${port}`, pathStyle: false })).toMatch(/S3_PATH_STYLE=true/);
});

it('S3RequestFailed suggests http if the endpoint does not speak TLS', async () => {
  expect(await hintWith({ endpoint: service.store().endpoint!.replace('http', 'https') })).toMatch(/http:\/\//);
});

it('S3RequestFailed suggests another S3_ENDPOINT if nothing listens at the endpoint', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  expect(await hintWith({ endpoint: `http://127.0.0.1:${port}` })).toMatch(/^Correct S3_ENDPOINT/);
});

it('S3RequestFailed has no hint for an unknown error', async () => {
  service.script(rejection(400, 'InvalidRequest'));
  expect(await hintWith()).toBeNull();
});
