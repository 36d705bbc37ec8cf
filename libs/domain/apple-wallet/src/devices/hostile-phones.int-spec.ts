import fc from 'fast-check';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { issued, passType, Phone, plainTemplate } from '../phone.fixtures.js';

let app: TestApp;
let account: TestAccount;
let phone: Phone;
let serial: string;

beforeAll(async () => {
  app = await TestApp.start();
  account = await app.account();
  await plainTemplate(app, account);
  serial = await issued(app, account, 'offer/ada');
  phone = new Phone(app);
});
afterAll(() => app.stop());

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('a\u0000b', '\ud800', '\u001b[31m', '__proto__', "'; DROP TABLE pass; --", 'x'.repeat(3000), 'ab'),
);
const value = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(1e308, -0, [], {}));
const body = fc.oneof(
  text,
  fc.constantFrom(
    '',
    'null',
    '[]',
    '{"logs": [1e999]}',
    '{"__proto__": {"logs": [], "pushToken": "ab"}}',
    '{"a":'.repeat(600),
  ),
  fc
    .record({ pushToken: value, logs: fc.oneof(value, fc.array(text)), colour: value })
    .map((json) => JSON.stringify(json)),
);
const mediaType = fc.constantFrom('application/json', 'text/plain', 'multipart/form-data; boundary=x', 'x', 'json');

it('the PassKit web service does not return a server error for any body that a phone sends', async () => {
  await fc.assert(
    fc.asyncProperty(body, mediaType, async (sent, type) => {
      // Stay below the limit of requests per minute.
      app.clock.advance(2);
      const log = app.request('post', '/v1/log').set('Content-Type', type).send(sent);
      expect([200, 400, 413]).toContain((await log).status);
      expect([200, 201, 400, 413]).toContain((await phone.registerWith(serial, sent, type)).status);
    }),
    { numRuns: 200 },
  );
});

it('the PassKit web service does not return a server error for any path or tag that a phone sends', async () => {
  const segment = fc.oneof(
    text.filter((part) => !/\p{Cs}/u.test(part)).map(encodeURIComponent),
    fc.stringMatching(/^[\w.%;=*'()+-]{1,60}$/),
    fc.constantFrom('%2F', '..', '%00', '%', '%ED%A0%80', 'x'.repeat(5000)),
  );
  await fc.assert(
    fc.asyncProperty(segment, segment, segment, async (device, type, name) => {
      for (const request of [
        app.request('get', `/v1/devices/${device}/registrations/${type}?passesUpdatedSince=${name}`),
        app.request(
          'get',
          `/v1/devices/${phone.deviceLibraryIdentifier}/registrations/${passType}?passesUpdatedSince=${name}`,
        ),
        app
          .request('post', `/v1/devices/${device}/registrations/${type}/${name}`)
          .set('Authorization', `ApplePass ${device}`),
        app
          .request('delete', `/v1/devices/${device}/registrations/${passType}/${serial}`)
          .set('Authorization', phone.authorization(serial)),
        app.request('get', `/v1/passes/${type}/${serial}`).set('Authorization', phone.authorization(serial)),
        app.request('get', `/v1/passes/${type}/${name}`).set('Authorization', phone.authorization(serial)),
      ]) {
        expect((await request).status).toBeLessThan(500);
      }
    }),
    { numRuns: 100 },
  );
});
