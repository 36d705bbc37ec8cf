import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import request from 'supertest';
import { ImageIntake } from './image-intake.js';
import { pngOf } from './picture.fixtures.js';
import { templateExamples } from './template-examples.js';
import { anAccount, as, templatesApp } from './templates.fixtures.js';

let app: NestExpressApplication;
let caller: { 'x-principal': string };
let port: number;
let stopped: Promise<void> | undefined;

beforeEach(async () => {
  stopped = undefined;
  app = await templatesApp();
  await app.listen(0, '127.0.0.1');
  port = (app.getHttpServer().address() as AddressInfo).port;
  caller = as({ accountId: await anAccount(app) });
});
afterEach(() => stop());

function stop(): Promise<void> {
  stopped ??= app.close();
  return stopped;
}

/** Takes places until all are taken, and those to wait in too if so wanted; the answer frees them. */
function occupy(places: 'to work' | 'to wait in too'): () => Promise<void> {
  let free = (): void => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  const { width, maxWaiting } = ImageIntake.limits;
  const count = places === 'to work' ? width : width + maxWaiting;
  const work = Array.from({ length: count }, () => app.get(ImageIntake).run(() => held));
  return async () => {
    free();
    await Promise.all(work);
  };
}

/** The head of an upload, whose body is not sent. */
function beginUpload() {
  const headers = { ...caller, 'content-type': 'multipart/form-data; boundary=x', 'content-length': 5_000_000 };
  const sent = httpRequest({ port, method: 'POST', path: '/v1/templates/t/images', headers });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  return sent;
}

const upload = (image: Buffer) =>
  request(app.getHttpServer()).post('/v1/templates/t/images').set(caller).attach('icon', image, 'icon.png');

it('429 rate_limited before the body of an upload is read, when too many wait', async () => {
  const free = occupy('to wait in too');
  const sent = beginUpload();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '5']);
  sent.destroy();
  await free();
  await upload(await pngOf()).expect(200);
});

it('429 rate_limited before an image is fetched, when too many wait', async () => {
  let fetched = 0;
  const assets = createServer((_request, response) => {
    fetched += 1;
    response.end();
  }).listen(0);
  await once(assets, 'listening');
  const icon = `http://localhost:${(assets.address() as AddressInfo).port}/icon.png`;
  const free = occupy('to wait in too');
  const upsert = () =>
    request(app.getHttpServer())
      .post('/v1/templates/t')
      .set(caller)
      .send({ ...templateExamples.offer.value, icon });
  const { body } = await upsert().expect(429);
  expect([body, fetched]).toEqual([expect.objectContaining({ code: 'rate_limited' }), 0]);
  await free();
  await upsert().expect(400);
  assets.close();
  expect(fetched).toBe(1);
});

it('an upload waits for its turn, and takes none when its client has gone meanwhile', async () => {
  const free = occupy('to work');
  const server = app.getHttpServer();
  for (let i = 0; i < ImageIntake.limits.width; i++) {
    const sent = beginUpload();
    const [received] = (await once(server, 'request')) as [IncomingMessage];
    sent.destroy();
    await new Promise((resolve) => received.once('close', resolve));
  }
  const waiting = upload(await pngOf()).expect(200);
  await Promise.all([waiting, free()]);
});

it('a request whose image is being fetched when the node is told to stop is answered as any other', async () => {
  const image = await pngOf();
  const assets = createServer((_request, response) => {
    void stop();
    // After the hooks that run at once.
    setImmediate(() => response.end(image));
  }).listen(0);
  await once(assets, 'listening');
  const icon = `http://localhost:${(assets.address() as AddressInfo).port}/icon.png`;
  const body = JSON.stringify({ ...templateExamples.offer.value, icon });
  const headers = { ...caller, 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}/v1/templates/t`, { method: 'POST', headers, body });
  assets.close();
  expect(await answer.json()).toMatchObject({ id: 't', icon });
});
