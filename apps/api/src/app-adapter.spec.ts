import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { AppAdapter } from './app-adapter.js';

it("AppAdapter gives requests and responses the app's prototypes before Express handles them", async () => {
  const adapter = new AppAdapter();
  adapter.initHttpServer();
  const app = adapter.getInstance<Express>();
  const server: Server = adapter.getHttpServer();
  const prototypes: unknown[] = [];
  server.prependListener('request', (...created: [IncomingMessage, ServerResponse]) => {
    prototypes.push(...created.map((each) => Object.getPrototypeOf(each) as unknown));
  });
  app.get('/', (request, response) => response.json([request.app === app, response.app === app, request.path]));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(await response.json()).toEqual([true, true, '/']);
  expect(prototypes).toEqual([app.request, app.response]);
  server.close();
});
