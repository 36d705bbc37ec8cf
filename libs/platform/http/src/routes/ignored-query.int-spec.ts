import { testDatabase } from '@passwright/testing';
import request from 'supertest';
import { TestApp } from '../test-app.fixtures.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start((await testDatabase()).url);
});
afterAll(() => app.stop());

const name = { name: 'a' };
const send = {
  create: (query: string) => request(app.url).post(`/v1/pairs${query}`).send(name),
  'create publicly': (query: string) => request(app.url).post(`/v1/open${query}`).send(name),
  act: (query: string) => request(app.url).post(`/v1/actions${query}`),
  remove: (query: string) => request(app.url).delete(`/v1/things/a${query}`),
  read: (query: string) => request(app.url).get(`/v1/things/a${query}`),
};

it.each(Object.entries(send))(
  '400 validation_failed for query parameters of a route without any (%s), before the route runs',
  async (_, call) => {
    const { runs } = app.things;
    const message = 'silent is not known here; ["a b"] is not known here';
    const rejected = await call('?silent=true&a+b=1');
    expect(rejected).toMatchObject({ status: 400, body: { code: 'validation_failed', message } });
    expect(app.things.runs).toBe(runs);
    expect((await call('?')).status).toBeLessThan(300);
  },
);

it('a public route without a body accepts any query parameter, because links and probes may have some', async () => {
  expect((await request(app.url).get('/v1/probe?utm_source=mail')).status).toBe(200);
});
