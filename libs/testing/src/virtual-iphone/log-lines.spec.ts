import { aPackage, certificates, PASS_TYPE } from './pass-package.fixtures.js';
import { type Call, ReferenceServer, type Reply } from './reference-server.fixtures.js';
import { VirtualIPhone } from './virtual-iphone.js';

let server: ReferenceServer;
let phone: VirtualIPhone;

beforeEach(async () => {
  server = await ReferenceServer.start();
  const now = () => new Date('2026-11-20T10:00:00.000Z');
  phone = VirtualIPhone.create({ roots: [certificates().rootPem], now });
  await phone.add(server.issue('one'));
});

afterEach(async () => {
  await phone.close();
  server.stop();
});

const lastModified = 'Sun, 15 Jun 2025 15:06:41 GMT';
const list = (body: unknown) => (): Reply => ({ status: 200, body: JSON.stringify(body) });

/** Errors of a web service, and the lines that the phone logs. The test replaces DEVICE and URL. */
const problems: [string, (change: typeof server) => void, string[]][] = [
  [
    'pushes without a change',
    () => undefined,
    [
      `Web service error for ${PASS_TYPE} (URL): Device received spurious push. Request for passesUpdatedSince '1' returned no serial numbers. (Device = DEVICE)`,
    ],
  ],
  [
    'sends an empty list after a push',
    (change) => (change.alter.list = list({ serialNumbers: [], lastUpdated: '9' })),
    [
      `Web service error for ${PASS_TYPE} (URL): Device received spurious push. Request for passesUpdatedSince '1' returned no serial numbers. (Device = DEVICE)`,
    ],
  ],
  [
    'lists a pass, but then responds that it has not changed',
    (change) => (change.alter.list = list({ serialNumbers: ['one'], lastUpdated: '2' })),
    [
      `Web service error for ${PASS_TYPE} (URL): Server requested update to serial number 'one', but the pass was unchanged.`,
    ],
  ],
  [
    'lists a pass whose date alone has changed',
    (change) => change.bump('one'),
    [
      `Web service error for ${PASS_TYPE} (URL): Server requested update to serial number 'one', but the pass was unchanged.`,
      `Web service error for ${PASS_TYPE} (URL): Server ignored the 'if-modified-since' header (Sun, 15 Jun 2025 15:06:40 GMT) and returned the full unchanged pass data for serial number 'one'.`,
    ],
  ],
  [
    'sends a pass without Last-Modified',
    (change) => {
      change.change('one', 'B2');
      change.alter.pass = ({ headers: _, ...reply }) => reply;
    },
    [
      `Web service error for ${PASS_TYPE} (URL): Server did not provide a 'last-modified' header for serial number 'one'.`,
    ],
  ],
  [
    'leaves out the tag',
    (change) => {
      change.change('one', 'B2');
      change.alter.list = list({ serialNumbers: ['one'] });
    },
    [
      `Web service error for ${PASS_TYPE} (URL): Response to 'What changed?' request included 1 serial numbers but omitted a lastUpdated tag.`,
    ],
  ],
  [
    'responds with the same tag',
    (change) => {
      change.change('one', 'B2');
      change.alter.list = list({ serialNumbers: ['one'], lastUpdated: '1' });
    },
    [
      `Web service error for ${PASS_TYPE} (URL): Response to 'What changed?' request included 1 serial numbers but the lastUpdated tag (1) remained the same.`,
    ],
  ],
  [
    'lists a pass that the phone does not have',
    (change) => (change.alter.list = list({ serialNumbers: ['two'], lastUpdated: '2' })),
    [`Web service error for ${PASS_TYPE} (URL): Update requested for unregistered serial number 'two'.`],
  ],
  ...[401, 404, 500].map((status): (typeof problems)[number] => [
    `responds to the list call with ${status}`,
    (change) => (change.alter.list = () => ({ status })),
    [
      `Get serial #s task (for device DEVICE, pass type ${PASS_TYPE}, last updated 1; with web service url URL) encountered error: ${status === 401 ? 'Authentication failure' : `Unexpected response code ${status}`}`,
    ],
  ]),
  ...(
    [
      [{ serialNumbers: ['one'], lastUpdated: 2 }, 'lastUpdated is not a text'],
      [{ serialNumbers: [1], lastUpdated: '2' }, 'serialNumbers is not a list of texts'],
      [{ serialNumbers: 'one', lastUpdated: '2' }, 'serialNumbers is not a list of texts'],
      [{ lastUpdated: '2' }, 'serialNumbers is not a list of texts'],
      [['one'], 'it is no object'],
    ] as const
  ).map(([body, reason]): (typeof problems)[number] => [
    `responds to the list call with ${JSON.stringify(body)}`,
    (change) => (change.alter.list = list(body)),
    [
      `Get serial #s task (for device DEVICE, pass type ${PASS_TYPE}, last updated 1; with web service url URL) encountered error: Received malformed response: ${reason}`,
    ],
  ]),
  ...[204, 401, 404, 410, 500].map((status): (typeof problems)[number] => [
    `responds to the pass call with ${status}`,
    (change) => {
      change.change('one', 'B2');
      change.alter.pass = () => ({ status });
    },
    [
      `Get pass task (pass type ${PASS_TYPE}, serial number one, if-modified-since Sun, 15 Jun 2025 15:06:40 GMT; with web service url URL) encountered error: ${status === 401 ? 'Authentication failure' : `Unexpected response code ${status}`}`,
    ],
  ]),
  ...(
    [
      ['an HTML page', () => Buffer.from('<title>502</title>'), 'zip: the bytes are no zip archive'],
      ['another pass', (change) => change.issue('two'), 'it has another serialNumber and authenticationToken'],
      [
        'a package without icon',
        () => aPackage({ files: {}, json: { serialNumber: 'one' } }),
        'icon.png, icon@2x.png or icon@3x.png is missing',
      ],
    ] as [string, (change: typeof server) => Buffer, string][]
  ).map(([what, body, reason]): (typeof problems)[number] => [
    `responds to the pass call with ${what}`,
    (change) => {
      change.change('one', 'B2');
      const wrong = body(change);
      change.alter.pass = (): Reply => ({ status: 200, headers: { 'Last-Modified': lastModified }, body: wrong });
    },
    [
      `Get pass task (pass type ${PASS_TYPE}, serial number one, if-modified-since Sun, 15 Jun 2025 15:06:40 GMT; with web service url URL) encountered error: Received invalid pass data (${reason})`,
    ],
  ]),
];

describe('complaints of a phone about a web service', () => {
  it.each(problems)('a phone logs a complaint if a web service %s', async (_, problem, lines) => {
    problem(server);
    await phone.push();
    const device = phone.deviceLibraryIdentifier('one')!;
    const reported = server.logged.map((line) => line.replaceAll(device, 'DEVICE').replaceAll(server.url, 'URL'));
    expect(reported).toEqual(lines.map((line) => `[2026-11-20 10:00:00 +0000] ${line}`));
    expect(phone.logLines).toEqual(server.logged);
  });

  it('a phone logs a complaint if the web service fails to unregister a pass', async () => {
    server.alter.unregister = () => ({ status: 204 });
    const device = phone.deviceLibraryIdentifier('one')!;
    await phone.remove('one');
    expect(server.logged).toEqual([
      `[2026-11-20 10:00:00 +0000] Unregister task (for device ${device}, pass type ${PASS_TYPE}, serial number one; with web service url ${server.url}) encountered error: Unexpected response code 204`,
    ]);
  });
});

describe('a phone after an error', () => {
  it.each<[Call, Reply]>([
    ['list', { status: 500 }],
    ['pass', { status: 500 }],
    ['pass', { status: 200, headers: { 'Last-Modified': lastModified }, body: 'x' }],
  ])('a phone keeps its version and tag after a failed %s call (%j), until a retry succeeds', async (call, reply) => {
    const before = phone.passes.get('one')!.packageBytes;
    server.change('one', 'B2');
    server.alter = { [call]: () => reply };
    await phone.push();
    expect(phone.passes.get('one')!.packageBytes).toBe(before);
    server.alter = {};
    await phone.retryFailed();
    expect(phone.requests.at(-2)!.path).toMatch(/passesUpdatedSince=1$/);
    expect(phone.passes.get('one')!.packageBytes).toEqual(server.package('one'));
    expect(phone.notifications.map(({ text }) => text)).toEqual(['Gate is now B2']);
    expect(phone.failed).toEqual([]);
  });
});
