import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../failures.js';
import type { Project } from '../project.js';
import { notificationLines } from './notification-lines.js';
import { agree, withAddresses } from './workspace.js';
import { differencesOf } from './property-differences.js';
import { changedText } from './file-text.js';
import { isImagePath, uploadedImage } from './image-files.js';
import { Lock } from './lock.js';
import { compared } from './comparison.js';
import { pullAction, pushAction } from './push-pull-actions.js';
import type { StoredTemplate } from './template-service.js';
import { fingerprintOf, normalBody, type TemplateBody } from './template-body.js';
import { bodyOf } from './template-parser.js';

const offer = { title: 'Summer', fields: [{ key: 'seat', label: 'Seat', value: '1' }] };

describe('a normalised template', () => {
  it('a normalised template has no default values, and the order of its properties does not matter', () => {
    const stored = {
      ...{ id: 'a', accountId: 'acc', archived: false, createdAt: 'x', updatedAt: 'y' },
      ...{ sharingProhibited: false, locations: [], backFields: [], actions: [], type: 'offer', ...offer },
    };
    const written = { fields: [{ value: '1', label: 'Seat', key: 'seat' }], labelColor: null, title: 'Summer' };
    expect(fingerprintOf(normalBody(stored))).toBe(fingerprintOf(normalBody(written)));
  });

  it('a normalised template keeps values that are not defaults, and an empty change message as null', () => {
    const body = { type: 'event', sharingProhibited: true, fields: [{ key: 'a', changeMessage: '' }] };
    expect(normalBody(body)).toEqual({ ...body, fields: [{ key: 'a', changeMessage: null }] });
  });

  it('a normalised template has all times in UTC, and keeps dates without a time', () => {
    expect(normalBody({ startDate: '2027-05-01T20:00:00+02:00' })).toEqual({ startDate: '2027-05-01T18:00:00.000Z' });
    expect(normalBody({ endDate: '2027-05-01T22:00:00+02:00', doorsOpen: '2027-05-01T17:00:00Z' })).toEqual({
      endDate: '2027-05-01T20:00:00.000Z',
      doorsOpen: '2027-05-01T17:00:00.000Z',
    });
    expect(normalBody({ startDate: '2027-05-01' })).toEqual({ startDate: '2027-05-01' });
  });
});

it('a normalised template has one spelling for each language tag, and no language without texts', () => {
  const translations = { 'PT-br': { title: 'Verão' }, fr: {} };
  expect(normalBody({ language: 'EN', translations })).toEqual({
    language: 'en',
    translations: { 'pt-BR': { title: 'Verão' } },
  });
  expect(normalBody({ ...offer, translations: { fr: {} } })).toEqual(normalBody(offer));
});

describe('differences', () => {
  it('differencesOf identifies a field by its key, even if its position differs', () => {
    const service = { fields: [{ key: 'door', label: 'Door' }, ...offer.fields] };
    const file = {
      fields: [
        { ...offer.fields[0], label: 'Place' },
        { key: 'door', label: 'Door' },
      ],
    };
    expect(differencesOf(service, file)).toEqual([
      { path: 'fields.seat.label', service: 'Seat', file: 'Place' },
      { path: 'fields', service: ['door', 'seat'], file: ['seat', 'door'] },
    ]);
  });

  it('differencesOf reports another order of fields, and properties that only one side has', () => {
    const [a, b] = [{ key: 'a' }, { key: 'b' }];
    expect(differencesOf({ fields: [a, b] }, { fields: [b, a] })).toEqual([
      { path: 'fields', service: ['a', 'b'], file: ['b', 'a'] },
    ]);
    expect(differencesOf({ labelColor: '#fff' }, { title: 'x' })).toEqual([
      { path: 'title', service: undefined, file: 'x' },
      { path: 'labelColor', service: '#fff', file: undefined },
    ]);
  });
});

it('differencesOf reports where a property has changed, and its value before the change', () => {
  const base = { title: 'was', icon: 'i', fields: [{ key: 'seat', label: 'Seat' }] };
  const service = { title: 'theirs', icon: 'i', fields: [{ key: 'seat', label: 'Place' }] };
  const file = { title: 'ours', icon: 'j', fields: [{ key: 'seat', label: 'Seat' }] };
  expect(differencesOf(service, file, base)).toEqual([
    { path: 'title', service: 'theirs', file: 'ours', base: 'was', changedBy: 'both' },
    { path: 'icon', service: 'i', file: 'j', base: 'i', changedBy: 'file' },
    { path: 'fields.seat.label', service: 'Place', file: 'Seat', base: 'Seat', changedBy: 'service' },
  ]);
});

it('differencesOf reports a changed order on the service, even if the file has new fields', () => {
  const [a, b, c] = [{ key: 'a' }, { key: 'b' }, { key: 'c' }];
  const base = { fields: [a, b] };
  const reordered = { fields: [b, a] };
  const order = { path: 'fields', service: ['b', 'a'], file: ['a', 'b'], base: ['a', 'b'], changedBy: 'service' };
  expect(differencesOf(reordered, { fields: [a, { ...b, label: 'B' }, c] }, base)).toEqual([
    { path: 'fields.b.label', service: undefined, file: 'B', base: undefined, changedBy: 'file' },
    { path: 'fields.c', service: undefined, file: c, base: undefined, changedBy: 'file' },
    order,
  ]);
  expect(differencesOf({ fields: [b, a] }, { fields: [b, a, c] }, base)).toHaveLength(1);
  const numbers = (...keys: string[]) => ({ fields: keys.map((key) => ({ key })) });
  expect(differencesOf(numbers('2', '1'), numbers('1', '2'), numbers('1', '2'))).toEqual([
    { path: 'fields', service: ['2', '1'], file: ['1', '2'], base: ['1', '2'], changedBy: 'service' },
  ]);
});

describe('the plan', () => {
  const [was, file, service] = [{ title: 'was' }, { title: 'file' }, { title: 'service' }];
  const comparison = (here: object | null, there: object | null, base?: TemplateBody, archived = false) =>
    compared(
      here ? { id: 'a', body: { ...here } } : undefined,
      there ? { id: 'a', body: { ...there }, archived } : undefined,
      base,
    );
  const standing = (...sides: Parameters<typeof comparison>) => comparison(...sides)?.standing;

  it.each([
    ['same', 'unchanged', 'unchanged', was, was, was],
    ['new', 'create', 'left', was, null, undefined],
    ['missing', 'left', 'create', null, was, undefined],
    ['different', 'unknown', 'change', file, service, undefined],
    ['changed in the file', 'change', 'conflict', file, was, was],
    ['changed on the service', 'conflict', 'change', was, service, was],
    ['changed in both', 'conflict', 'conflict', file, service, was],
  ])(
    'a comparison with the result "%s" leads to the action "%s" in a push and "%s" in a pull',
    (expected, push, pull, here, there, base) => {
      const found = comparison(here, there, base)!;
      expect([found.standing, pushAction(found, {}), pullAction(found.standing, {})]).toEqual([expected, push, pull]);
    },
  );

  it('a push overwrites changes on the service only if it is forced, and never changes archived templates', () => {
    expect(pushAction(comparison(file, service, was)!, { force: true })).toBe('change');
    expect(pushAction(comparison(file, service)!, { force: true })).toBe('change');
    expect(standing(was, was, was, true)).toBe('archived');
    expect(standing(null, was, was, true)).toBeUndefined();
    expect(pushAction(comparison(was, was, was, true)!, { force: true, prune: true })).toBe('archived');
  });

  it('a push overwrites a template that is not in the lock only if a user confirms the differences', () => {
    expect(pushAction(comparison(file, service)!, {}, true)).toBe('change');
    expect(pushAction(comparison(file, service, was)!, {}, true)).toBe('conflict');
  });

  it('a push with `--prune` archives a template without a file, unless it has changed or is new on the service', () => {
    const prune = { prune: true };
    expect(pushAction(comparison(null, was, was)!, prune)).toBe('archive');
    expect(pushAction(comparison(null, service, was)!, prune)).toBe('conflict');
    expect(pushAction(comparison(null, service)!, prune)).toBe('foreign');
    expect(pushAction(comparison(null, service)!, prune, true)).toBe('archive');
    for (const base of [was, undefined]) {
      expect(pushAction(comparison(null, service, base)!, { ...prune, force: true })).toBe('archive');
    }
  });

  it('a push unarchives a template on request, but overwrites its changes only if it is forced', () => {
    const unarchive = { unarchive: true };
    expect(pushAction(comparison(was, was, undefined, true)!, unarchive)).toBe('unarchive');
    expect(pushAction(comparison(file, was, was, true)!, unarchive)).toBe('unarchive');
    expect(pushAction(comparison(was, service, was, true)!, unarchive)).toBe('conflict');
    expect(pushAction(comparison(was, service, was, true)!, { ...unarchive, force: true })).toBe('unarchive');
    expect(pushAction(comparison(file, service, undefined, true)!, unarchive)).toBe('unknown');
  });

  it('the same change on both sides is not a conflict, and neither are changes of different properties', () => {
    const base = { title: 'was', icon: 'i' };
    expect(standing({ ...file, icon: 'j' }, { ...file, icon: 'i' }, base)).toBe('changed in the file');
    expect(standing({ ...file, icon: 'i' }, { ...was, icon: 'j' }, base)).toBe('changed in both');
  });
});

describe('the text of a pulled file', () => {
  const text = `# Ours\ntitle: Summer # the sale\nicon: 'a/icon.png'\n\nfields:\n  # left\n  - key: seat\n    label: Seat\n    value: "1"\nsharingProhibited: false\n`;

  it('a pull does not change a file that already has the same meaning', () => {
    const body = { title: 'Summer', icon: 'a/icon.png', fields: [{ value: '1', key: 'seat', label: 'Seat' }] };
    expect(changedText(text, 'a.yaml', body)).toBe(text);
  });

  it('a pull changes a value and keeps the comments, order and quotes around it', () => {
    const seat = { key: 'seat', label: 'Place', value: '1' };
    const body = { title: 'Winter', icon: 'a/icon.png', fields: [seat, { key: 'door', label: 'Door', value: '2' }] };
    const changed = changedText(text, 'a.yaml', body);
    expect(changed).toBe(
      text
        .replace('Summer', 'Winter')
        .replace('label: Seat', 'label: Place')
        .replace('sharing', '  - key: door\n    label: Door\n    value: "2"\nsharing'),
    );
  });

  it('a pull keeps the order and indentation of JSON', () => {
    const json = '{\n    "title": "Summer",\n    "icon": "i"\n}\n';
    expect(changedText(json, 'a.json', { icon: 'i', title: 'Winter', labelColor: '#fff' })).toBe(
      '{\n    "title": "Winter",\n    "icon": "i",\n    "labelColor": "#fff"\n}\n',
    );
  });

  it('a mistake in a template file is reported with its file and line', () => {
    expect(() => bodyOf('title: a\n  icon: b\n', 'templates/a.yaml')).toThrow(/^templates\/a\.yaml: .* at line /);
    expect(() => bodyOf('- title', 'a.yaml')).toThrow('contains no template');
    expect(() => bodyOf('title: *Sale*\n', 'a.yaml')).toThrow(/^a\.yaml: .*alias/i);
    const bomb = [
      'a: &a [x]',
      ...'bcdefgh'.split('').map((name, i) => {
        const before = 'abcdefgh'[i];
        return `${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`;
      }),
    ];
    expect(() => bodyOf(bomb.join('\n'), 'bomb.yaml')).toThrow(/^bomb\.yaml: .*alias/i);
  });
});

it('Lock.read rejects a lock file whose YAML aliases expand too far, and says how to restore the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'passwright-lock-'));
  const times = (name: string) => Array(10).fill(`*${name}`).join(', ');
  const bomb = [
    'a: &a [x]',
    `b: &b [${times('a')}]`,
    `c: &c [${times('b')}]`,
    `d: &d [${times('c')}]`,
    `e: [${times('d')}]`,
  ];
  writeFileSync(join(folder, 'passwright.lock'), bomb.join('\n'));
  const read = Lock.read({ folder } as Project);
  await expect(read).rejects.toThrow(Failure);
  await expect(read).rejects.toThrow(/passwright\.lock: .*alias/i);
  rmSync(folder, { recursive: true });
});

describe('an image', () => {
  it('an image value without a URL scheme is the path of a file', () => {
    expect(['a/icon.png', './icon.png', '../x.png'].every(isImagePath)).toBe(true);
    expect(['https://x/icon.png', 'http://x', 'data:image/png;base64,'].some(isImagePath)).toBe(false);
  });

  it('an uploaded image is recognised by its path, on any host', () => {
    const hash = 'ab'.repeat(32);
    const path = `/images/acc_1/${hash}.png`;
    expect(uploadedImage(`https://old.example.com/base${path}`)).toEqual({
      ...{ accountId: 'acc_1', hash, extension: 'png', path },
    });
    expect(uploadedImage('https://x/images/samples/icon.png')).toBeNull();
    expect(uploadedImage(`https://x${path}?a`)).toBeNull();
  });

  it('the lock stores image addresses without their host, so that a new host is not a difference', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'passwright-lock-'));
    const lock = await Lock.read({ folder } as Project);
    const path = (sign: string) => `/images/acc_1/${sign.repeat(64)}.png`;
    const bodyAt = (host: string) => ({
      logo: `${host}${path('a')}`,
      translations: { de: { title: 'Angebot', 'images.logo': `${host}${path('b')}` } },
    });
    const stored = { accountId: 'acc_1', id: 't', etag: '"1"', archived: false, body: bodyAt('https://old.example') };
    agree(lock, stored satisfies StoredTemplate);
    const base = lock.base('acc_1', 't')!;
    expect(base).toEqual(bodyAt(''));
    expect(withAddresses(base, [bodyAt('https://new.example')])).toEqual(bodyAt('https://new.example'));
    expect(withAddresses(base, [{ logo: 'https://x.example/logo.png' }])).toEqual(base);
    rmSync(folder, { recursive: true });
  });
});

it('notificationLines lists what each wallet announces, and the reason for each field that it does not announce', () => {
  const line = { key: 'points', message: 'Now 20 points' };
  const later = { shown: 'notification', reason: 'quiet_hours', notifiesAt: '2026-11-20T12:00:00.000Z' } as const;
  expect(
    notificationLines({
      walletA: [
        { ...line, shown: 'notification', reason: null },
        { key: 'tier', message: 'Tier: gold', shown: 'nowhere', reason: 'not_installed' },
      ],
      walletB: [
        { ...line, shown: 'notification', reason: null, notifiesAt: null },
        { ...line, ...later },
      ],
      silent: [
        { key: 'seat', wallets: ['walletA', 'walletB'], reason: 'silent_field' },
        { key: '_date', wallets: ['walletB'], reason: 'announced_by_google' },
      ],
    }),
  ).toEqual([
    'Apple Wallet announces: Now 20 points',
    'Google Wallet announces: Now 20 points',
    'Google Wallet announces at 2026-11-20T12:00:00.000Z, after quiet hours: Now 20 points',
    'Apple Wallet does not announce tier: no holder has a pass in this wallet',
    'Apple Wallet and Google Wallet do not announce seat: its changeMessage is empty',
    'Google Wallet does not announce _date: Google shows its own text',
  ]);
});

it('a normalised template omits the notifications in the response to a save', () => {
  expect(normalBody({ title: 'A', notifications: { walletA: [], walletB: [], silent: [] } })).toEqual({ title: 'A' });
});
