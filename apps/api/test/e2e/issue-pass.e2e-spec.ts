import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { DataSource } from 'typeorm';
import { passBody, RunningService, templateTypes, type Account, type ApiResponse } from '../support/running-service.js';
import { strangers, UnpackedPackage } from '../support/unpacked-package.js';

if (!strangers.openssl || !strangers.unzip) {
  process.stderr.write('openssl or unzip is not installed: packages are not shown to it here\n');
}

describe('a pass with uploaded images', () => {
  let service: RunningService;
  let account: Account;
  const unpacked: UnpackedPackage[] = [];

  beforeAll(async () => {
    service = await RunningService.start();
    account = await service.register();
  });
  afterAll(async () => {
    for (const each of unpacked) each.remove();
    await service.stop();
  });

  async function download(passResponse: ApiResponse): Promise<UnpackedPackage> {
    expect(passResponse).toMatchObject({ status: 201 });
    const response = await service.request('GET', passResponse.body.walletAUrl);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/vnd.apple.pkpass');
    const each = await UnpackedPackage.of(response.bytes);
    unpacked.push(each);
    return each;
  }

  function verify(each: UnpackedPackage): void {
    each.verify(join(service.dataDir, 'development-chain', 'root.pem'));
  }

  async function uploadedImages(templateId: string): Promise<Record<string, string>> {
    const form = new FormData();
    for (const [name, content] of Object.entries(await photos())) form.append(name.split('.')[0] ?? '', content, name);
    const { status, body } = await service.request('POST', `/v1/templates/${templateId}/images`, {
      token: account.token,
      body: form,
    });
    expect({ status, parts: Object.keys(body) }).toEqual({
      status: 200,
      parts: expect.arrayContaining(['icon', 'logo', 'banner', 'thumbnail']),
    });
    return body;
  }

  it.each(templateTypes)(
    'a package of type %s with uploaded images has an exact manifest and a valid signature',
    async (type) => {
      const { thumbnail, ...images } = await uploadedImages(`upload-${type}`);
      const saved = await account.saveTemplate(type, `upload-${type}`, {
        ...images,
        ...(type === 'generic' && { thumbnail }),
      });
      expect(saved).toMatchObject({ status: 200, body: { ...images, type } });

      const opened = await download(await account.post(`/v1/pass/upload-${type}`, passBody(type)));

      verify(opened);
      const files = opened.names.filter((name) => name !== 'manifest.json' && name !== 'signature');
      const hashes = Object.fromEntries(
        files.map((name) => [
          name,
          createHash('sha1')
            .update(readFileSync(join(opened.dir, name)))
            .digest('hex'),
        ]),
      );
      expect(opened.manifest).toEqual(hashes);
      const sizes = await Promise.all(
        files
          .filter((name) => name.endsWith('.png'))
          .map(async (name) => {
            const { width, height, format } = await sharp(join(opened.dir, name)).metadata();
            return [name, `${format} ${width}x${height}`] as const;
          }),
      );
      expect(Object.fromEntries(sizes)).toEqual(imageSizes[type]);
    },
  );

  it('a package preserves awkward content, such as emoji, right-to-left text and quotes', async () => {
    const awkward = '🎉 "quotes" \\ \'single\' <b>&amp;</b>\nשלום عليكم\tZ̸';
    const field = (key: string) => ({ key, label: `Label ${key} 🎈`, value: awkward });
    const place = (index: number) => ({
      address: `Street ${index}`,
      latitude: index,
      longitude: -index,
      relevantText: 'near "here" 🏠',
    });
    await account.saveTemplate('offer', 'awkward', {
      foregroundColor: '#abc',
      backgroundColor: 'rgb(100%, 50%, 0%)',
      labelColor: 'rgba(10, 20, 30, 0.5)',
      fields: ['a', 'b', 'c', 'd'].map(field),
      backFields: [field('e')],
      locations: [0, 1, 2, 3, 4].map(place),
    });
    const issued = await account.post('/v1/pass/awkward', {
      code: 'Ω🎉',
      fields: [{ key: 'b', label: 'Mine', value: 'changed' }],
      locations: [5, 6, 7, 8, 9].map(place),
      expiry: '2031-01-02T03:04:05.678Z',
      metadata: { secret: 'internal' },
    });

    const opened = await download(issued);

    verify(opened);
    const { pass } = opened;
    const front = [...(pass.coupon.secondaryFields ?? []), ...(pass.coupon.auxiliaryFields ?? [])];
    expect(front.map(({ key, value }: { key: string; value: string }) => [key, value])).toEqual([
      ['a', awkward],
      ['b', 'changed'],
      ['c', awkward],
      ['d', awkward],
    ]);
    expect(pass.coupon.backFields).toEqual(
      expect.arrayContaining([expect.objectContaining({ key: 'e', value: awkward })]),
    );
    expect(pass.locations.map(({ latitude }: { latitude: number }) => latitude)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
    expect(pass).toMatchObject({ foregroundColor: 'rgb(170, 187, 204)', backgroundColor: 'rgb(255, 128, 0)' });
    expect(pass.barcodes[0]).toMatchObject({ message: 'Ω🎉', messageEncoding: 'utf-8' });
    expect(new Date(pass.expirationDate).toISOString()).toBe('2031-01-02T03:04:05.678Z');
    expect(JSON.stringify(pass)).not.toContain('internal');
  });

  it('the manifest of a package stays the same until the template changes', async () => {
    const issued = await account.issue('membership');
    const manifest = async () => (await download(issued)).manifest;
    const first = await manifest();
    expect(await manifest()).toEqual(first);

    await account.saveTemplate('membership', 'membership', { title: 'Winter offer' });
    expect(await manifest()).not.toEqual(first);
  });

  it('a package route responds with 304 to a known ETag or date, until the pass changes', async () => {
    const issued = await account.issue('offer');
    const url = issued.body.walletAUrl as string;
    const first = await service.request('GET', url);
    const etag = first.headers.get('etag') ?? '';
    const since = first.headers.get('last-modified') ?? '';

    const conditions: Record<string, string>[] = [{ 'If-None-Match': etag }, { 'If-Modified-Since': since }];
    for (const headers of conditions) {
      const { status, bytes } = await service.request('GET', url, { headers });
      expect({ status, length: bytes.length }).toEqual({ status: 304, length: 0 });
    }
    expect(await service.request('HEAD', url)).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });

    await account.patch(`/v1/pass/offer/${issued.body.pass.id}`, {
      fields: [{ key: 'new', label: 'New', value: '1' }],
    });
    expect(await service.request('GET', url, { headers: { 'If-None-Match': etag } })).toMatchObject({ status: 200 });
    expect(await service.request('GET', url, { headers: { 'If-Modified-Since': since } })).toMatchObject({
      status: 200,
    });
  });

  it('each response with a pass, its package or its page marks development signing in a header', async () => {
    const issued = await account.issue('offer');
    const responses = [
      issued,
      await service.request('GET', issued.body.walletAUrl),
      await service.request('GET', issued.body.webUrl),
    ];
    expect(responses.map(({ headers }) => headers.get('passwright-signing'))).toEqual([
      'development',
      'development',
      'development',
    ]);
  });

  it('a package contains the address of the web service, an authentication token and a serial number', async () => {
    const { pass } = await download(await account.post('/v1/pass/offer', {}));
    expect(pass.webServiceURL).toBe('http://localhost:3000');
    expect(pass.authenticationToken).toMatch(/^[\w-]{32,}$/);
    expect(pass.serialNumber).toMatch(/^[\w-]{16,}$/);
  });

  it('the database does not contain the authentication token of a pass', async () => {
    const { pass } = await download(await account.post('/v1/pass/offer', {}));
    const sql = 'SELECT to_jsonb(p) AS row FROM pass p WHERE serial_number = $1';
    const rows = await service.app.get(DataSource).query(sql, [pass.serialNumber]);
    expect(rows).toHaveLength(1);
    const token = Buffer.from(pass.authenticationToken as string);
    for (const form of ['utf8', 'hex', 'base64'] as const)
      expect(JSON.stringify(rows)).not.toContain(token.toString(form));
  });
});

let made: Promise<Record<string, Blob>> | undefined;

/** Returns photos by file name. Draws them only once, because drawing takes long. */
const photos = () => (made ??= takePhotos());

async function takePhotos(): Promise<Record<string, Blob>> {
  const noise = (width: number, height: number) =>
    sharp({
      create: { width, height, channels: 3, background: '#357', noise: { type: 'gaussian', mean: 128, sigma: 20 } },
    });
  return {
    'icon.png': new Blob([await noise(400, 400).png().toBuffer()]),
    'logo.jpg': new Blob([await noise(640, 200).jpeg().toBuffer()]),
    'banner.webp': new Blob([await noise(1500, 600).webp().toBuffer()]),
    'thumbnail.png': new Blob([await noise(500, 500).png().toBuffer()]),
  };
}

const scaled = (name: string, width: number, height: number) =>
  Object.fromEntries(
    [1, 2, 3].map((scale) => [
      scale === 1 ? `${name}.png` : `${name}@${scale}x.png`,
      `png ${width * scale}x${height * scale}`,
    ]),
  );
const common = { ...scaled('icon', 38, 38), ...scaled('logo', 160, 50) };
const imageSizes = {
  offer: { ...common, ...scaled('strip', 375, 144) },
  event: { ...common, ...scaled('strip', 375, 98) },
  generic: { ...common, ...scaled('thumbnail', 90, 90) },
  membership: { ...common, ...scaled('strip', 375, 144) },
};
