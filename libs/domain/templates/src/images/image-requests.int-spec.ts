import { once } from 'node:events';
import { createServer, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AccountsService } from '@passwright/accounts';
import { costlyWork } from '@passwright/core';
import { Database } from '@passwright/database';
import sharp from 'sharp';
import request from 'supertest';
import { ImageRequests, sampleUrl } from '@passwright/images';
import { pngOf } from '@passwright/testing/images';
import { templateExamples } from '../templates/template-examples.js';
import { aMember, anAccount, as, templatesApp } from '../templates.fixtures.js';

let app: NestExpressApplication;
let accountId: string;
let strangerId: string;
let port: number;
let stopped: Promise<void> | undefined;
let begun: ClientRequest[];

beforeEach(async () => {
  stopped = undefined;
  begun = [];
  app = await templatesApp();
  await app.listen(0, '127.0.0.1');
  port = (app.getHttpServer().address() as AddressInfo).port;
  [accountId, strangerId] = [await anAccount(app), await anAccount(app)];
});
afterEach(async () => {
  for (const sent of begun) sent.destroy();
  await stop();
  jest.restoreAllMocks();
});

function stop(): Promise<void> {
  stopped ??= app.close();
  return stopped;
}

/**
 * Fills the account's share of `ImageRequests` with running requests. With `to wait in too`, also fills its waiting
 * list.
 * @returns a function that ends the requests
 */
async function occupy(slots: 'to work' | 'to wait in too'): Promise<() => Promise<void>> {
  // Cache the account's concurrency key first, so that requests are served in the order in which they arrive.
  await app.get(AccountsService).shareOf(accountId);
  let free = (): void => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  const { width, maxWaitingPerKey } = ImageRequests.limits;
  const count = width / 2 + (slots === 'to work' ? 0 : maxWaitingPerKey);
  const requests = Array.from({ length: count }, () => app.get(ImageRequests).run(accountId, () => held));
  return async () => {
    free();
    await Promise.all(requests);
  };
}

/** Fills `ImageRequests` with running requests. @returns a function that ends them */
async function occupyAll(): Promise<() => Promise<void>> {
  let free = (): void => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  let begun = 0;
  const requests = Array.from({ length: ImageRequests.limits.width }, (_, at) =>
    app.get(ImageRequests).run(`${accountId} ${at}`, () => (begun++, held)),
  );
  while (begun < requests.length) await new Promise((resolve) => setImmediate(resolve));
  return async () => {
    free();
    await Promise.all(requests);
  };
}

/** Sends the headers of an upload without its body. */
function beginUpload(sizeBytes: number): ClientRequest {
  const headers = {
    ...as({ accountId }),
    'content-type': 'multipart/form-data; boundary=x',
    'content-length': sizeBytes,
  };
  const sent = httpRequest({ port, method: 'POST', path: '/v1/templates/t/images', headers, agent: false });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  begun.push(sent);
  return sent;
}

const upload = (image: Buffer, of = accountId) =>
  request(app.getHttpServer())
    .post('/v1/templates/t/images')
    .set(as({ accountId: of }))
    .attach('icon', image, 'icon.png');
const upsert = (id: string, body: object, of = accountId) =>
  request(app.getHttpServer())
    .post(`/v1/templates/${id}`)
    .set(as({ accountId: of }))
    .send({ ...templateExamples.offer.value, ...body });

/** Starts an image server. @returns its address and the number of requests it has received */
async function assetServer(reply: (response: { end(bytes?: Buffer): unknown }) => unknown) {
  const asked = { times: 0 };
  const server = createServer((_request, response) => {
    asked.times++;
    reply(response);
  }).listen(0);
  await once(server, 'listening');
  return { icon: `http://localhost:${(server.address() as AddressInfo).port}/icon.png`, asked, server };
}

it('all accounts can store uploads and templates while 200 uploads of one account hang', async () => {
  const server = app.getHttpServer();
  for (let i = 0; i < 210; i++) {
    beginUpload(5_000);
    await once(server, 'request');
  }
  const icon = await pngOf();
  await upload(icon, strangerId).expect(200);
  await upsert('t', {}, strangerId).expect(200);
  await upload(icon).expect(200);
});

it('429 rate_limited, before the body is read, only for an account whose uploads fill its share of the memory', async () => {
  const responses = Array.from({ length: 5 }, async () => once(beginUpload(25_000_000), 'response'));
  const [rejected] = (await Promise.race(responses)) as [IncomingMessage];
  expect([rejected.statusCode, rejected.headers['retry-after']]).toEqual([429, '1']);
  await upload(await pngOf(), strangerId).expect(200);
});

it('429 rate_limited before the image is fetched, but only for the account with too many waiting requests', async () => {
  const { icon, asked, server } = await assetServer((response) => response.end());
  const free = await occupy('to wait in too');
  const { body } = await upsert('t', { icon }).expect(429);
  expect([body, asked.times]).toEqual([expect.objectContaining({ code: 'rate_limited' }), 0]);
  await upsert('t', {}, strangerId).expect(200);
  await free();
  await upsert('t', { icon }).expect(400);
  server.close();
  expect(asked.times).toBe(1);
});

it('a template with only sample images or unchanged uploads is saved immediately, even on a busy node', async () => {
  const { body: uploaded } = await upload(await pngOf()).expect(200);
  await upsert('t', { icon: uploaded.icon }).expect(200);
  await upsert('other', { icon: sampleUrl('icon') }).expect(200);
  const free = await occupyAll();
  const { body } = await upsert('t', { icon: uploaded.icon, title: 'Another' }).expect(200);
  expect(body).toMatchObject({ icon: uploaded.icon, title: 'Another' });
  await upsert('other', { icon: sampleUrl('icon') }, strangerId).expect(200);
  const { origin } = new URL(uploaded.icon);
  const draft = { ...templateExamples.offer.value, icon: `${origin}/images/samples/icon.png` };
  await request(app.getHttpServer())
    .post('/v1/templates/t/lint')
    .set(as({ accountId }))
    .send({ template: { ...draft, logo: 'https://assets.example.com/logo.png' } })
    .expect(200);
  await free();
});

it('the next request of another account is served even if twenty accounts of one founder are waiting', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => anAccount(app)));
  const { id: founder } = await aMember(app, ...ids);
  const found = 'UPDATE account SET founder = $1 WHERE id = ANY($2)';
  await app.get(Database).transaction((tx) => tx.query(found, [founder, ids]));
  let free = (): void => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  const requests = [...ids, ...ids].map((id) => app.get(ImageRequests).run(id, () => held));
  const image = await pngOf();
  const { icon, server } = await assetServer((response) => response.end(image));
  await upsert('t', { icon }, strangerId).expect(200);
  server.close();
  free();
  await Promise.all(requests);
});

it('the service processes images of one account even while many requests of another account are waiting', async () => {
  let free = (): void => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  const work = Array.from({ length: 50 }, () => costlyWork.run(accountId, () => held));
  await upload(await pngOf(), strangerId).expect(200);
  free();
  await Promise.all(work);
});

it('the service does not start a request whose client disconnects while the request waits', async () => {
  const { icon, asked, server } = await assetServer((response) => response.end());
  const free = await occupy('to work');
  const gone = httpRequest({ port, method: 'POST', path: '/v1/templates/t', headers: as({ accountId }), agent: false });
  gone.on('error', () => undefined);
  gone.setHeader('content-type', 'application/json');
  gone.end(JSON.stringify({ ...templateExamples.offer.value, icon }));
  const [received] = (await once(app.getHttpServer(), 'request')) as [IncomingMessage];
  const closed = once(received.socket, 'close');
  await once(received, 'end');
  gone.destroy();
  await closed;
  await free();
  await upsert('t', {}).expect(200);
  server.close();
  expect(asked.times).toBe(0);
});

it('the sizes of a sample image are generated once for all templates and accounts', async () => {
  const resized = jest.spyOn(sharp.prototype, 'resize');
  await upsert('first', { icon: sampleUrl('icon') }).expect(200);
  const made = resized.mock.calls.length;
  await upsert('second', { icon: sampleUrl('icon') }).expect(200);
  const { body } = await upsert('t', { icon: sampleUrl('icon') }, strangerId).expect(200);
  expect(made).toBeGreaterThan(0);
  expect(resized).toHaveBeenCalledTimes(made);
  expect(body.icon).toBe(sampleUrl('icon'));
});

it('a node that shuts down first finishes a request whose image is being fetched', async () => {
  const image = await pngOf();
  const { icon, server } = await assetServer((response) => {
    void stop();
    // Respond after the shutdown hooks that run immediately.
    setImmediate(() => response.end(image));
  });
  const body = JSON.stringify({ ...templateExamples.offer.value, icon });
  const headers = { ...as({ accountId }), 'content-type': 'application/json' };
  const reply = await fetch(`http://127.0.0.1:${port}/v1/templates/t`, { method: 'POST', headers, body });
  server.close();
  expect(await reply.json()).toMatchObject({ id: 't', icon });
});
