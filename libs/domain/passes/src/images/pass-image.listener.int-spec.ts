import { randomBytes } from 'node:crypto';
import { Database } from '@passwright/database';
import { ImageGarbageCollector, ImagesService, type PreparedImage } from '@passwright/images';
import sharp from 'sharp';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import { nameOf, usesKeySql, usesSourceSql } from './pass-image.listener.js';

let app: TestApp;
let account: TestAccount;
const { signal } = new AbortController();

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  await account.template('generic');
});

/** Issues a pass that shows a unique image. */
async function aShownImage(): Promise<PreparedImage> {
  const raw = { width: 90, height: 90, channels: 3 } as const;
  const bytes = await sharp(randomBytes(90 * 90 * 3), { raw })
    .png()
    .toBuffer();
  const thumbnail = await app.get(ImagesService).store(account.id, bytes, 'thumbnail');
  await account.post('generic/ada', { primaryValue: '1', thumbnail }).expect(200);
  const sql = 'SELECT thumbnail FROM pass WHERE account_id = $1';
  const [row] = await app.get(Database).reads.query<{ thumbnail: PreparedImage }[]>(sql, [account.id]);
  return row!.thumbnail;
}

const isStored = ({ files }: PreparedImage) => files.every(({ key }) => app.storage.blobs.has(key));

describe('the image of a pass', () => {
  it('the service keeps the files of an image and its upload until no pass shows the image', async () => {
    const image = await aShownImage();
    const { source, recipe } = image;
    const keys = [...new Set(image.files.map(({ key }) => key))];
    const upload = new URL(image.url).pathname.slice(1);
    app.clock.advance(15 * 60);
    const garbage = app.get(ImageGarbageCollector);
    // No pass has an image of the second version, so the listener looks up the keys of the files.
    for (const version of [recipe, recipe + 1]) {
      await garbage.collect({ accountId: account.id, keys, source, recipe: version }, signal);
    }
    await garbage.collect({ accountId: account.id, keys: [upload], source: 'f'.repeat(64), recipe: null }, signal);
    expect([isStored(image), app.storage.blobs.has(upload)]).toEqual([true, true]);
    await account.delete('generic/ada').expect(204);
    await garbage.collect({ accountId: account.id, keys, source, recipe }, signal);
    expect(isStored(image)).toBe(false);
  });

  it('the service uses indexes to find the passes that show an image, however many there are', async () => {
    await aShownImage();
    const { reads } = app.get(Database);
    await reads.query(
      `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
        metadata, version, created_at, updated_at, thumbnail)
       SELECT account_id, template_id, template_type, 'p' || n, 's' || n || account_id, 'c' || n, '[]', '[]', '[]', '{}', 1,
         created_at, created_at, CASE WHEN n % 2 = 0 THEN thumbnail
           ELSE jsonb_build_object('source', md5(n::text), 'recipe', 1, 'files', '[]'::jsonb) END
       FROM pass, generate_series(1, 8000) n WHERE account_id = $1`,
      [account.id],
    );
    await reads.query('ANALYZE pass');
    const plan = async (sql: string, values: unknown[]) =>
      JSON.stringify(await reads.query(`EXPLAIN (FORMAT JSON) ${sql}`, values));
    const bySource = await plan(usesSourceSql, [account.id, 'f'.repeat(64), 1]);
    expect(bySource).toContain('pass_thumbnail_source_idx');
    const rare = `images/${account.id}/${'e'.repeat(64)}.png`;
    const byHash = await plan(usesKeySql, [account.id, nameOf(account.id, rare)]);
    expect(byHash).toContain('pass_thumbnail_idx');
    for (const text of [bySource, byHash]) expect(text).not.toMatch(/Seq Scan","[^}]*"Relation Name":"pass"/);
  });
});
