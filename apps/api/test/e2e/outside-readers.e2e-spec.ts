import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeFormats } from '@passwright/wallet-renderers';
import { PKPass } from 'passkit-generator';
import {
  type Account,
  passBody,
  RunningService,
  templateTypes,
  type TemplateType,
} from '../support/running-service.js';
import { UnpackedPackage } from '../support/unpacked-package.js';

/** Finds the program with which KDE's travel app and mail client read packages; null if it is not installed. */
function kitineraryPath(): string | null {
  const { PATH = '' } = process.env;
  const libraries = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const folders = libraries.flatMap((name) => ['kf6', 'kf5'].map((kf) => join('/usr/lib', name, 'libexec', kf)));
  const paths = [...PATH.split(':'), ...folders].map((folder) => join(folder, 'kitinerary-extractor'));
  return paths.find((path) => existsSync(path)) ?? null;
}

const kitinerary = kitineraryPath();
const missing = 'kitinerary-extractor is not installed (on Debian: libkpimitinerary-bin)';
if (!kitinerary) process.stderr.write(`${missing}: packages are not shown to it here\n`);

type CodeFormat = (typeof codeFormats)[number];

const codes: Partial<Record<CodeFormat, string>> = {
  codabar: 'A31117B',
  ean13: '4006381333931',
  itf: '15400141288763',
};
const hall = { name: 'Harbour Hall', address: 'Pier 4, 0150 Oslo', latitude: 59.9075, longitude: 10.7531 };
const times = {
  startDate: '2027-06-21T18:00:00.000Z',
  doorsOpen: '2027-06-21T17:00:00.000Z',
  endDate: '2027-06-23T21:00:00.000Z',
};

let service: RunningService;
let account: Account;
const dir = mkdtempSync(join(tmpdir(), 'passwright-outside-readers-'));

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await service.stop();
});

/** Issues a pass whose template has everything that the type allows. Returns its package. */
async function packageOf(type: TemplateType, codeFormat: CodeFormat): Promise<Buffer> {
  const field = (key: string) => ({ key, label: `Label ${key}`, value: `Value "${key}" é` });
  const id = randomUUID();
  const saved = await account.saveTemplate(type, id, {
    codeFormat,
    labelColor: '#ffd08a',
    sharingProhibited: true,
    fields: ['a', 'b', 'c', 'd'].map(field),
    backFields: [field('e')],
    locations: [hall],
    ...(type === 'event' && { location: hall, ...times }),
  });
  expect(saved).toMatchObject({ status: 200 });
  const validity = { validFrom: '2027-01-01T00:00:00Z', expiry: '2028-01-01T00:00:00Z' };
  const issued = await account.post(`/v1/pass/${id}`, { ...passBody(type), code: codeOf(codeFormat), ...validity });
  expect(issued).toMatchObject({ status: 201 });
  return (await service.request('GET', issued.body.walletAUrl as string)).bytes;
}

function codeOf(codeFormat: CodeFormat): string {
  return codes[codeFormat] ?? 'HH-2026-42';
}

/** Returns the reservations that kitinerary-extractor finds in a package. Only events are reservations. */
function extracted(bytes: Buffer): unknown {
  const file = join(dir, 'pass.pkpass');
  writeFileSync(file, bytes);
  return JSON.parse(execFileSync(kitinerary ?? '', [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

(kitinerary ? it : it.skip).each(codeFormats)(
  `kitinerary-extractor reads an event with a code of format %s${kitinerary ? '' : `; skipped, because ${missing}`}`,
  async (codeFormat) => {
    const prefix = { qr: 'qrCode:', aztec: 'aztecCode:' }[codeFormat as string] ?? '';
    expect(extracted(await packageOf('event', codeFormat))).toMatchObject([
      {
        '@type': 'EventReservation',
        reservationFor: {
          name: 'Summer offer',
          location: {
            name: 'Harbour Hall',
            geo: { latitude: expect.closeTo(59.9075), longitude: expect.closeTo(10.7531) },
          },
          startDate: { '@value': '2027-06-21T20:00:00+02:00', timezone: 'Europe/Oslo' },
        },
        reservedTicket: { ticketToken: `${prefix}${codeOf(codeFormat)}` },
      },
    ]);
  },
);

it.each(templateTypes.flatMap((type) => codeFormats.map((codeFormat) => [type, codeFormat] as const)))(
  'passkit-generator reads a package of type %s with a code of format %s and drops no property',
  async (type, codeFormat) => {
    const opened = await UnpackedPackage.of(await packageOf(type, codeFormat));
    opened.remove();
    const { pass } = opened;
    const { props } = new PKPass({ 'pass.json': Buffer.from(JSON.stringify(pass)) }, undefined, undefined);
    expect(JSON.parse(JSON.stringify(props))).toMatchObject(pass);
  },
);
