import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestingModule } from '@nestjs/testing';
import { AccountsService } from '@passwright/accounts';
import {
  BlobStorage,
  Clock,
  Forbidden,
  InvalidTransition,
  PreconditionFailed,
  ValidationFailed,
} from '@passwright/core';
import { Database } from '@passwright/database';
import type { FixedClock, MemoryStorage } from '@passwright/testing';
import sharp from 'sharp';
import { ImageInvalid, ImagesService, sampleUrl } from '@passwright/images';
import { pngOf } from '@passwright/testing/images';
import { templateTag } from './template-response.dto.js';
import { TemplateArchived, TemplateInUse, TemplateNotFound } from './templates.errors.js';
import { aMember, anAccount, aPassOf, aRequest, templatesModule } from '../templates.fixtures.js';
import { TemplatesQuery } from './templates.query.dto.js';
import { TemplatesRepository } from './templates.repository.js';
import { TemplatesService } from './templates.service.js';

let nest: TestingModule;
let templates: TemplatesService;
let accounts: AccountsService;
let images: ImagesService;
let clock: FixedClock;
let storage: MemoryStorage;
let accountId: string;
/** The URLs of small images in one colour, because most tests are not about images. */
let plain: { icon: string; logo: string; banner: string };

beforeAll(async () => {
  nest = await templatesModule();
  await nest.init();
  templates = nest.get(TemplatesService);
  accounts = nest.get(AccountsService);
  images = nest.get(ImagesService);
  clock = nest.get(Clock);
  storage = nest.get(BlobStorage);
  const dot = sharp({ create: { width: 8, height: 8, channels: 3, background: '#1f2a6b' } });
  const url = await images.store('acc_plain', await dot.png().toBuffer(), 'icon');
  plain = { icon: url, logo: url, banner: url };
});
afterAll(() => nest.close());
beforeEach(async () => {
  accountId = await anAccount(nest);
});

const save = async (id: string, type: Parameters<typeof aRequest>[0] = 'offer', changes = {}) =>
  templates.upsert(accountId, id, await aRequest(type, { ...plain, ...changes }), null);
const saveExample = async (id: string, type: Parameters<typeof aRequest>[0]) =>
  templates.upsert(accountId, id, await aRequest(type), null);
const query = (filter: Partial<TemplatesQuery> = {}) => Object.assign(new TemplatesQuery(), filter);

describe('upserting a template', () => {
  it.each(['offer', 'event', 'generic', 'membership'] as const)(
    'the service stores all properties of a template of type %s',
    async (type) => {
      const saved = await saveExample('t', type);
      const read = await templates.get(accountId, 't');
      expect({ ...read }).toEqual({ ...saved });
      expect(read).toMatchObject({ accountId, id: 't', type, revision: 1, archivedAt: null, createdAt: clock.now() });
    },
  );

  it('a save replaces the whole template, and clears absent properties', async () => {
    const all = { labelColor: '#123456', sharingProhibited: true, codeFormat: 'aztec' as const };
    await save('t', 'offer', { ...all, background: sampleUrl('background') });
    const changes = { labelColor: undefined, fields: undefined, backFields: undefined };
    const saved = await save('t', 'offer', changes);
    expect(saved).toMatchObject({
      labelColor: null,
      fields: [],
      backFields: [],
      sharingProhibited: false,
      codeFormat: 'qr',
      revision: 2,
    });
    expect(saved.images.background).toBeUndefined();
  });

  it('another barcode format creates a new revision, but the same format sent again does not', async () => {
    expect(await save('t')).toMatchObject({ codeFormat: 'qr', revision: 1 });
    expect(await save('t', 'offer', { codeFormat: 'qr' })).toMatchObject({ revision: 1 });
    clock.advance(60);
    const changed = await save('t', 'offer', { codeFormat: 'code128' });
    expect(changed).toMatchObject({ codeFormat: 'code128', revision: 2, updatedAt: clock.now() });
    expect((await templates.get(accountId, 't')).codeFormat).toBe('code128');
  });

  it('an upsert with the same content and images changes nothing', async () => {
    const first = await save('t', 'membership');
    clock.advance(60);
    const before = storage.blobs.size;
    const second = await save('t', 'membership');
    expect({ ...second }).toEqual({ ...first });
    expect(storage.blobs.size).toBe(before);
  });

  it('an image with another URL and other bytes creates a new revision', async () => {
    const first = await save('t');
    const url = await images.store(accountId, await pngOf(), 'icon');
    const second = await save('t', 'offer', { icon: url });
    expect(second.revision).toBe(2);
    expect(second.images.icon?.source).not.toBe(first.images.icon?.source);
    expect(second.images.logo).toEqual(first.images.logo);
  });

  it('a change of the type generates new image sizes, because packages of another type have other sizes', async () => {
    const offer = await save('t');
    const event = await save('t', 'event');
    const strip = (template: typeof offer) => template.images.banner?.files.find(({ name }) => name === 'strip.png');
    expect([strip(offer)?.height, strip(event)?.height]).toEqual([144, 98]);
  });

  it('409 template_archived for a save of an archived template, even if the request has other mistakes too', async () => {
    await save('t');
    await templates.archive(accountId, 't');
    await expect(save('t', 'offer', { icon: 'http://nowhere.example/x.png' })).rejects.toThrow(TemplateArchived);
  });

  it('409 invalid_transition for a change of the type while the template has passes', async () => {
    await save('t');
    await aPassOf(nest, accountId, 't', 'offer');
    await expect(save('t', 'membership')).rejects.toThrow(InvalidTransition);
    expect((await templates.get(accountId, 't')).type).toBe('offer');
    expect((await save('t', 'offer', { title: 'Other' })).revision).toBe(2);
    // The service rejects the change before it fetches any image.
    await expect(save('t', 'membership', { icon: 'http://nowhere.example/x.png' })).rejects.toThrow(InvalidTransition);
  });

  it('412 precondition_failed if If-Match names another version, or if the template does not exist', async () => {
    const request = await aRequest('offer', { title: 'Other' });
    await expect(templates.upsert(accountId, 't', request, ['*'])).rejects.toThrow(PreconditionFailed);
    const first = await save('t');
    await templates.upsert(accountId, 't', request, [templateTag(first)]);
    await expect(templates.upsert(accountId, 't', await aRequest(), [templateTag(first)])).rejects.toThrow(
      PreconditionFailed,
    );
  });

  it('412 precondition_failed, which names If-None-Match, if a template that must be new exists', async () => {
    await templates.upsert(accountId, 't', await aRequest(), 'new');
    await expect(templates.upsert(accountId, 't', await aRequest(), 'new')).rejects.toThrow(
      'The template "t" exists, and If-None-Match: * may only create one; leave that header out to replace it.',
    );
  });

  it('412 precondition_failed for the deletion of a template with the tag of an earlier version', async () => {
    const first = templateTag(await save('t'));
    const present = templateTag(await save('t', 'offer', { title: 'Other' }));
    await expect(templates.delete(accountId, 't', [first])).rejects.toThrow(PreconditionFailed);
    await templates.delete(accountId, 't', [present]);
    await expect(templates.get(accountId, 't')).rejects.toThrow(TemplateNotFound);
  });

  it('the service accepts exactly one of two simultaneous upserts with the same If-Match', async () => {
    const tag = templateTag(await save('t'));
    const attempts = await Promise.allSettled(
      ['A', 'B', 'C'].map(async (title) => templates.upsert(accountId, 't', await aRequest('offer', { title }), [tag])),
    );
    expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect((await templates.get(accountId, 't')).revision).toBe(2);
  });

  it('several simultaneous upserts of the same new template all succeed', async () => {
    const titles = ['A', 'B', 'C', 'D', 'E'];
    const saved = await Promise.all(titles.map((title) => save('t', 'offer', { title })));
    expect(saved.map(({ revision }) => revision).sort()).toEqual([1, 2, 3, 4, 5]);
  });

  it('400 image_invalid names the wrong property, and the template is not stored', async () => {
    await expect(
      save('t', 'offer', { banner: `http://localhost:3000/images/${accountId}/${'0'.repeat(64)}.png` }),
    ).rejects.toThrow(/^banner: the image names no image of this service/);
    await expect(save('t', 'offer', { logo: 'http://127.0.0.1/x.png' })).rejects.toThrow(ImageInvalid);
    await expect(save('t', 'generic', { thumbnail: 'data:image/png;base64,AAAA' })).rejects.toThrow(
      /^thumbnail: .*http\(s\)/,
    );
    await expect(templates.get(accountId, 't')).rejects.toThrow(TemplateNotFound);
  });
});

describe('the account of an upsert', () => {
  it('the service uses the caller’s account, or another account of the same user on request', async () => {
    const other = await anAccount(nest);
    const user = await aMember(nest, accountId, other);
    expect(await accounts.accountFor(user, undefined)).toBe(accountId);
    expect(await accounts.accountFor(user, other)).toBe(other);
  });

  it('403 forbidden for another account, even if the API key’s creator is a member of that account', async () => {
    const other = await anAccount(nest);
    const user = await aMember(nest, accountId);
    await expect(accounts.accountFor(user, other)).rejects.toThrow(Forbidden);
    await expect(accounts.accountFor(user, 'acc_none')).rejects.toThrow(Forbidden);
    const member = await aMember(nest, other, accountId);
    await expect(accounts.accountFor({ ...member, kind: 'apiKey' }, accountId)).rejects.toThrow(Forbidden);
  });
});

describe('reading a template', () => {
  it.each(['none', 'a\0b', '', 'x'.repeat(500), '../x', '💳'])('404 template_not_found for the id %j', async (id) => {
    await expect(templates.get(accountId, id)).rejects.toThrow(TemplateNotFound);
    await expect(templates.archive(accountId, id)).rejects.toThrow(TemplateNotFound);
    await expect(templates.delete(accountId, id)).rejects.toThrow(TemplateNotFound);
  });

  it('404 template_not_found for another account’s template, which does not change', async () => {
    await save('t');
    const other = await anAccount(nest);
    for (const attempt of ['get', 'archive', 'unarchive', 'delete'] as const) {
      await expect(templates[attempt](other, 't')).rejects.toThrow(TemplateNotFound);
    }
    expect((await templates.get(accountId, 't')).revision).toBe(1);
  });
});

describe('archiving and un-archiving a template', () => {
  it('archiving creates one new revision, and un-archiving creates another', async () => {
    const { revision } = await save('t');
    clock.advance(1);
    const archived = await templates.archive(accountId, 't');
    expect(archived).toMatchObject({ archivedAt: clock.now(), updatedAt: clock.now(), revision: revision + 1 });
    clock.advance(1);
    expect({ ...(await templates.archive(accountId, 't')) }).toEqual({ ...archived });
    expect(await templates.unarchive(accountId, 't')).toMatchObject({ archivedAt: null, revision: revision + 2 });
    expect((await templates.unarchive(accountId, 't')).revision).toBe(revision + 2);
  });
});

describe('every change of a template', () => {
  it('each change of a template has a time in a different second, even if the clock goes back', async () => {
    const dates = [await save('t')];
    dates.push(await templates.archive(accountId, 't'));
    clock.advance(-5);
    dates.push(await templates.unarchive(accountId, 't'));
    dates.push(await save('t', 'offer', { title: 'Other' }));
    clock.advance(5);
    const [made = 0, ...changed] = dates.map(({ updatedAt }) => updatedAt.getTime());
    expect(changed).toEqual([made + 1000, made + 2000, made + 3000]);
  });
});

describe('lockForIssue', () => {
  const issue = <T>(work: () => Promise<T>) =>
    nest.get(Database).transaction(async (tx) => {
      await templates.lockForIssue(tx, accountId, 't');
      return work();
    });

  it('404 template_not_found for a missing template, and 409 template_archived for an archived template', async () => {
    await expect(issue(() => Promise.resolve())).rejects.toThrow(TemplateNotFound);
    await save('t');
    await templates.archive(accountId, 't');
    await expect(issue(() => Promise.resolve())).rejects.toThrow(TemplateArchived);
  });

  it('lockForIssue blocks changes of the template until the transaction ends, but not the issuing of other passes', async () => {
    await save('t');
    const order: string[] = [];
    let archiving: Promise<unknown> = Promise.resolve();
    await issue(async () => {
      await Promise.all([issue(() => Promise.resolve()), issue(() => Promise.resolve())]);
      archiving = templates.archive(accountId, 't').then(() => order.push('archived'));
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
      while ((await nest.get(Database).reads.query<unknown[]>(waiting)).length === 0);
      order.push('issued');
    });
    await archiving;
    expect(order).toEqual(['issued', 'archived']);
  });
});

describe('deleting a template', () => {
  it('409 template_in_use while the template has passes', async () => {
    await save('t');
    await aPassOf(nest, accountId, 't', 'offer');
    await expect(templates.delete(accountId, 't')).rejects.toThrow(TemplateInUse);
  });

  it('deleting a template frees the id, and a recreated template has another tag', async () => {
    const old = await save('t');
    await templates.delete(accountId, 't');
    await expect(templates.get(accountId, 't')).rejects.toThrow(TemplateNotFound);
    clock.advance(1);
    expect(templateTag(await save('t'))).not.toBe(templateTag(old));
  });
});

describe('the list of templates', () => {
  const ids = async (filter: Partial<TemplatesQuery> = {}) =>
    (await templates.list(accountId, query(filter))).data.map(({ id }) => id);

  it('the list contains every template once, newest first, even if templates have the same creation time', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await save(id);
    clock.advance(1);
    await save('e');
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await templates.list(accountId, query({ limit: 2, cursor }));
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a']);
  });

  it('the list of templates reads only a few more templates than a page contains, however large they are', async () => {
    const backFields = Array.from({ length: 50 }, (_, n) => ({
      key: `k${n}`,
      label: 'Terms',
      value: 'x'.repeat(4000),
    }));
    const all = Array.from({ length: 12 }, (_, n) => `t${n}`);
    for (const id of all) await save(id, 'offer', { backFields });
    const read = jest.spyOn(nest.get(TemplatesRepository), 'list');
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await templates.list(accountId, query({ limit: 100, cursor }));
      found.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(found.sort()).toEqual(all.sort());
    const counts = await Promise.all(read.mock.results.map(({ value }) => value));
    expect(Math.max(...counts.map((rows) => rows.length))).toBeLessThanOrEqual(6);
    read.mockRestore();
  });

  it('templates can be filtered by type, by archiving, and by text in the id or title', async () => {
    await save('summer', 'offer', { title: '100% Fun_Day' });
    await save('winter', 'event', { title: 'Konzert für Ärzte' });
    await templates.archive(accountId, 'winter');
    expect(await ids({ type: 'event' })).toEqual(['winter']);
    expect(await ids({ archived: 'true' })).toEqual(['winter']);
    expect(await ids({ archived: 'false' })).toEqual(['summer']);
    expect(await ids({ q: 'UMM' })).toEqual(['summer']);
    expect(await ids({ q: 'fun_d' })).toEqual(['summer']);
    expect(await ids({ q: 'ÄRZTE' })).toEqual(['winter']);
    expect(await ids({ q: '' })).toHaveLength(2);
  });

  it('the filter by text treats %, _ and \\ literally', async () => {
    await save('a', 'offer', { title: '100%' });
    await save('b', 'offer', { title: 'x_y\\z' });
    expect(await ids({ q: '%' })).toEqual(['a']);
    expect(await ids({ q: '_' })).toEqual(['b']);
    expect(await ids({ q: '\\' })).toEqual(['b']);
  });

  it('the service lists no template of another account', async () => {
    await save('t');
    accountId = await anAccount(nest);
    expect(await ids()).toEqual([]);
  });

  it.each([
    'x',
    'W10',
    Buffer.from('["a","b"]').toString('base64url'),
    Buffer.from('["2026-01-01T00:00:00Z","\\u0000"]').toString('base64url'),
  ])('400 validation_failed for the cursor %s', async (cursor) => {
    await expect(templates.list(accountId, query({ cursor }))).rejects.toThrow(ValidationFailed);
  });

  it('a forged cursor with any valid date-time does not cause an error', async () => {
    const cursor = Buffer.from('["2026-01-01T00:00+23:00","abc"]').toString('base64url');
    expect((await templates.list(accountId, query({ cursor }))).data).toEqual([]);
  });

  it('the service reads a page of templates from the index, without sorting', async () => {
    const database = nest.get(Database);
    await save('t');
    await database.transaction((tx) =>
      tx.query(
        `INSERT INTO template SELECT account_id, 'many-' || n, type, title, issuer_name, foreground_color, background_color,
          label_color, images, sharing_prohibited, locations, fields, back_fields, start_date, location, primary_label, archived_at,
          revision, created_at + n * interval '1 second', updated_at
        FROM template, generate_series(1, 500) n WHERE account_id = $1 AND id = 't'`,
        [accountId],
      ),
    );
    await database.reads.query('ANALYZE template');
    const plan = await database.reads.query<{ 'QUERY PLAN': string }[]>(
      `EXPLAIN SELECT * FROM template WHERE account_id = $1 AND (created_at, id) < ($2, $3)
      ORDER BY created_at DESC, id DESC LIMIT 21`,
      [accountId, '2026-11-20T10:03:00.000Z', 'many-5'],
    );
    const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(lines).toContain('template_list_idx');
    expect(lines).not.toContain('Sort');
  });
});

describe('the images of a template', () => {
  it('the service stores either all images or no image, and names the damaged image', async () => {
    const damaged = (await pngOf(300, 300)).subarray(0, -40);
    const good = await pngOf(301, 300);
    const put = jest.spyOn(storage, 'put');
    await expect(images.storeAll(accountId, { icon: good, banner: damaged })).rejects.toThrow(/^banner: .*damaged/);
    expect(put).not.toHaveBeenCalled();
    const icon = await images.store(accountId, good, 'icon');
    const server = createServer((_request, response) => response.end(damaged)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    put.mockClear();
    const banner = `http://localhost:${(server.address() as AddressInfo).port}/banner.png`;
    await expect(save('t', 'offer', { icon, logo: icon, banner })).rejects.toThrow(/^banner: .*damaged/);
    expect(put).not.toHaveBeenCalled();
    put.mockRestore();
    server.close();
  });

  it('the service stores images in every size, with the recorded width and height', async () => {
    const saved = await saveExample('t', 'generic');
    const files = Object.values(saved.images).flatMap((image) => image.files);
    expect(files.length).toBeGreaterThan(14);
    for (const file of files) {
      const blob = storage.blobs.get(file.key);
      const { width, height, format } = await sharp(blob?.bytes).metadata();
      expect({ width, height, sizeBytes: blob?.bytes.length, type: blob?.contentType }).toEqual({
        width: file.width,
        height: file.height,
        sizeBytes: file.sizeBytes,
        type: `image/${format}`,
      });
    }
  });

  it('the images of templates and passes have the file names and sizes of an Apple package', async () => {
    const { images: of } = await saveExample('t', 'membership');
    const url = await images.store(accountId, await pngOf(300, 300), 'thumbnail');
    const thumbnail = await images.prepare(accountId, url, 'thumbnail', 'generic', 'thumbnail');
    const files = await images.appleFiles([...Object.values(of), thumbnail]);
    const names = ['icon', 'logo', 'strip', 'thumbnail'].flatMap((name) =>
      ['', '@2x', '@3x'].map((scale) => `${name}${scale}.png`),
    );
    expect(files.map(({ name }) => name).sort()).toEqual(names.sort());
    const strip = files.find(({ name }) => name === 'strip@3x.png');
    const { width, height } = await sharp(strip?.data).metadata();
    expect([width, height]).toEqual([1125, 432]);
  });

  it('an image from another server is fetched once per save, and other bytes under its URL create a new revision', async () => {
    let bytes = await pngOf();
    let hits = 0;
    const assets = createServer((_request, response) => {
      hits++;
      response.end(bytes);
    }).listen(0);
    await once(assets, 'listening');
    const url = `http://localhost:${(assets.address() as AddressInfo).port}/a.png`;
    const first = await save('t', 'offer', { icon: url, logo: url, banner: url });
    expect(hits).toBe(1);
    const second = await save('t', 'offer', { icon: url, logo: url, banner: url });
    expect([hits, second.revision]).toEqual([2, first.revision]);
    bytes = await pngOf(301, 300);
    const third = await save('t', 'offer', { icon: url, logo: url, banner: url });
    assets.close();
    expect([hits, third.revision]).toEqual([3, first.revision + 1]);
    expect(third.images.icon?.source).not.toBe(first.images.icon?.source);
    expect(await images.appleFiles(Object.values(first.images))).toHaveLength(9);
    await expect(save('t', 'offer', { icon: url })).rejects.toThrow(/^icon: the image did not arrive within 10 s/);
  });

  it('images with the same content are stored only once', async () => {
    const urls = await Promise.all([1, 2].map(async () => images.store(accountId, await pngOf(), 'icon')));
    expect(urls[0]).toBe(urls[1]);
    expect(urls[0]).toMatch(new RegExp(`^http://localhost:3000/images/${accountId}/[0-9a-f]{64}\\.png$`));
  });
});
