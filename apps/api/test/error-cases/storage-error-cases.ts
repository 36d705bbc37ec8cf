import { BlobStorage, StorageUnavailable } from '@passwright/core';
import sharp from 'sharp';
import type { HeldPass } from '../support/held-pass.js';
import {
  type Account,
  type ApiResponse,
  passBody,
  type RunningService,
  templateBody,
} from '../support/running-service.js';
import type { ErrorCase } from './device-error-cases.js';

interface Driven {
  readonly service: () => RunningService;
  readonly account: () => Account;
  readonly held: () => HeldPass;
}

const ERROR = '503 storage_unavailable';
const WHEN = 'the storage of images fails';
/** The width of the last picture. Each picture gets a new width, because it must be new to the storage. */
let lastWidth = 300;

/** Returns the error cases of every route that uses the storage. */
export function storageErrorCases({ service, account, held }: Driven): ErrorCase[] {
  const failing = (prepare: () => Promise<() => Promise<ApiResponse>>) => async () => {
    const send = await prepare();
    return withoutStorage(service(), send);
  };
  const read = (prepare: () => Promise<string>) =>
    failing(async () => {
      const path = await prepare();
      return () => service().request('GET', path, { token: account().token });
    });
  const post = (path: string, body: object) => failing(() => Promise.resolve(() => account().post(path, body)));
  const thumbnail = { ...passBody('generic'), thumbnail: templateBody('generic').thumbnail };
  const cases: [operation: string, send: () => Promise<ApiResponse>][] = [
    ['getImage', read(() => uploaded(account()))],
    ['uploadTemplateImages', failing(async () => upload(account(), await picture()))],
    ['upsertTemplate', post('/v1/templates/without-storage', templateBody('event'))],
    ['lintTemplate', failing(() => drafting(account(), 'lint'))],
    ['previewDraft', failing(() => drafting(account(), 'preview'))],
    ['previewTemplate', read(async () => `/v1/templates/${await newTemplate(account())}/preview`)],
    ['previewPass', read(async () => `/v1/pass/${(await newPass(account())).path}/preview`)],
    ['createPass', post('/v1/pass/generic', thumbnail)],
    ['upsertPass', post('/v1/pass/generic/without-storage', thumbnail)],
    ['updatePass', failing(() => patching(account(), thumbnail))],
    ['getApplePass', read(async () => (await newPass(account())).walletAUrl)],
    ['getAppleBundle', read(() => bundle(account()))],
    ['getLatestPass', failing(() => fetching(service(), account(), held()))],
  ];
  return cases.map(([operation, send]) => [operation, ERROR, WHEN, send]);
}

/** Sends a request while every method of the storage fails. */
async function withoutStorage(service: RunningService, send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const storage = service.app.get(BlobStorage);
  const failure = new StorageUnavailable(new Error('SlowDown'));
  const methods = (['put', 'get', 'open', 'has'] as const).map((method) =>
    jest.spyOn(storage, method).mockRejectedValue(failure),
  );
  const response = await send();
  for (const method of methods) method.mockRestore();
  expect(response.headers.get('retry-after')).toBe('1');
  expect(response.bytes.toString()).not.toContain('SlowDown');
  return response;
}

function picture(): Promise<Buffer> {
  lastWidth += 1;
  return sharp({ create: { width: lastWidth, height: 300, channels: 3, background: '#0a0' } })
    .png()
    .toBuffer();
}

function upload(account: Account, bytes: Buffer): () => Promise<ApiResponse> {
  const body = new FormData();
  body.append('icon', new Blob([Uint8Array.from(bytes)]), 'icon.png');
  return () => account.service.request('POST', '/v1/templates/offer/images', { token: account.token, body });
}

async function uploaded(account: Account): Promise<string> {
  const { status, body } = await upload(account, await picture())();
  if (status !== 200 && status !== 201) throw new Error(`the upload returned ${status}`);
  return body.icon;
}

async function drafting(account: Account, of: 'lint' | 'preview'): Promise<() => Promise<ApiResponse>> {
  const template = { ...templateBody('offer'), icon: await uploaded(account) };
  return () => account.post(`/v1/templates/unsaved/${of}`, { template });
}

let lastTemplate = 0;

/** Saves a template with images that the service has not read yet. */
async function newTemplate(account: Account): Promise<string> {
  const id = `unread-${(lastTemplate += 1)}`;
  await account.saveTemplate('event', id);
  return id;
}

async function newPass(account: Account): Promise<{ path: string; walletAUrl: string }> {
  const template = await newTemplate(account);
  const { body } = await account.post(`/v1/pass/${template}`, {});
  return { path: `${template}/${body.pass.id}`, walletAUrl: body.walletAUrl };
}

async function bundle(account: Account): Promise<string> {
  const { path } = await newPass(account);
  return `/v1/pass/${account.id}/bundle/walletA?pass=${path.replace('/', ':')}`;
}

async function patching(account: Account, changes: object): Promise<() => Promise<ApiResponse>> {
  const { body } = await account.post('/v1/pass/generic', passBody('generic'));
  return () => account.patch(`/v1/pass/generic/${body.pass.id}`, changes);
}

/**
 * Gives the template of the pass a new icon first, because the earlier images are still in memory.
 * @returns a function that fetches the pass
 */
async function fetching(
  service: RunningService,
  account: Account,
  held: HeldPass,
): Promise<() => Promise<ApiResponse>> {
  await account.saveTemplate('offer', 'offer', { icon: await uploaded(account) });
  const { passTypeIdentifier, serialNumber } = held.parameters;
  return () =>
    service.request('GET', `/v1/passes/${passTypeIdentifier}/${serialNumber}`, { headers: { ...held.headers } });
}
