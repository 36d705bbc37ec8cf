// One account of the service under test, and images for its uploads.
import { randomBytes, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { scopes } from './access-rules.mjs';

// Encode images with the same library with which the service decodes them.
const sharp = createRequire(new URL('../../../libs/domain/images/package.json', import.meta.url))('sharp');

export class Tenant {
  statuses = new Map();
  /** The calls that got a 5xx other than 503 with Retry-After. */
  problems = new Set();

  /** @type {string | undefined} */
  uid;
  /** @type {string | undefined} */
  accountId;
  /** @type {string | undefined} The new e-mail address, if a request has changed it. */
  nextEmail;
  /** @type {string | undefined} */
  password;
  /** @type {{ id: string, key: string } | undefined} */
  key;

  /**
   * @param {string} url
   * @param {{ token?: string, address?: string }} [options] address: the client address of these calls, which a service
   * behind a proxy believes
   */
  constructor(url, { token, address } = {}) {
    this.url = url;
    this.token = token;
    this.address = address;
  }

  async register() {
    const person = { password: randomUUID(), name: 'Soak', accountName: 'Soak' };
    this.email = `${randomUUID()}@example.com`;
    const { body } = await this.call('POST', '/v1/auth/register', { ...person, email: this.email });
    this.token = body.accessToken;
    return this;
  }

  /** Replaces the access token with an API key, because the token expires after minutes. */
  async useKey() {
    this.token = (await this.call('POST', '/v1/auth/keys', { name: 'Soak', scopes })).body.key;
    return this;
  }

  get headers() {
    return {
      ...(this.token && { Authorization: `Bearer ${this.token}` }),
      ...(this.address && { 'X-Forwarded-For': this.address }),
    };
  }

  /** Makes a call that must succeed. @throws Error for a status other than 2xx */
  async call(method, path, body) {
    const isJson = body !== undefined && !(body instanceof FormData);
    const headers = { ...this.headers, ...(isJson && { 'Content-Type': 'application/json' }) };
    const response = await fetch(this.url + path, { method, headers, body: isJson ? JSON.stringify(body) : body });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { status } = response;
    this.count(status);
    if (status >= 500 && !(status === 503 && response.headers.has('retry-after'))) {
      this.problems.add(`${method} ${path}: ${status} ${bytes.toString().slice(0, 200)}`);
    }
    if (!response.ok) throw Object.assign(new Error(`${method} ${path}: ${status} ${bytes}`), { status });
    const type = response.headers.get('content-type') ?? '';
    return { body: type.includes('/json') ? JSON.parse(bytes.toString()) : bytes };
  }

  /** Counts a response. */
  count(status) {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  /** Makes a call and ignores its outcome. @returns the status; 0 if there was no response */
  async try(call) {
    try {
      await call();
      return 200;
    } catch (error) {
      return error.status ?? 0;
    }
  }

  upload(image) {
    const form = new FormData();
    form.append('icon', new Blob([image]), 'icon.png');
    return this.call('POST', '/v1/templates/t/images', form);
  }

  save(id, changes = {}) {
    const sample = (name) => `${this.url}/images/samples/${name}.png`;
    const images = { icon: sample('icon'), logo: sample('logo'), banner: sample('banner') };
    const look = { title: 'Soak', issuerName: 'Soak', foregroundColor: '#ffffff', backgroundColor: '#1f2a44' };
    return this.call('POST', `/v1/templates/${id}`, { type: 'offer', ...look, ...images, ...changes });
  }
}

/** Creates a new image that is cheap to process. */
export function smallImage() {
  const raw = { width: 200, height: 100, channels: 3 };
  return sharp(randomBytes(200 * 100 * 3), { raw })
    .png()
    .toBuffer();
}

/** Creates images that take very long to decode for their size. */
export async function dearImages() {
  const flat = (width, height) => sharp({ create: { width, height, channels: 4, background: '#f008' } });
  const noise = { type: 'gaussian', mean: 128, sigma: 60 };
  return Promise.all([
    flat(4990, 4990).toColourspace('rgb16').png().toBuffer(),
    flat(4990, 4990).png({ progressive: true }).toBuffer(),
    flat(1, 25_000_000).png().toBuffer(),
    flat(2500, 9999).webp({ lossless: true }).toBuffer(),
    sharp({ create: { width: 1000, height: 1000, channels: 3, background: '#000', noise } })
      .png()
      .toBuffer(),
    jpegOfManyScans(),
  ]);
}

/**
 * Creates a progressive JPEG of 25 megapixels in 200 KB. It has 2,457 scans. Each passes over all pixels without adding
 * content.
 */
async function jpegOfManyScans() {
  const background = { width: 5000, height: 5000, channels: 3, background: '#888' };
  const whole = await sharp({ create: background })
    .jpeg({ progressive: true, quality: 50, chromaSubsampling: '4:4:4' })
    .toBuffer();
  // The table has a single code: a run of 16,384 empty blocks, plus the number in the following 14 bits.
  const table = Buffer.from([0xff, 0xc4, 0, 20, 0x10, 1, ...Array(15).fill(0), 0xe0]);
  let bits = '';
  for (let left = 625 * 625; left > 0; left -= 32_767) {
    bits += `0${(Math.min(left, 32_767) - 16_384).toString(2).padStart(14, '0')}`;
  }
  const blocks = bits
    .padEnd(Math.ceil(bits.length / 8) * 8, '1')
    .match(/.{8}/g)
    .map((byte) => parseInt(byte, 2));
  const data = blocks.flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte]));
  // The scans of each coefficient begin with its highest bit.
  const scans = Array.from({ length: 13 * 63 * 3 }, (_, n) => {
    const [bit, component, coefficient] = [13 - Math.floor(n / 189), 1 + (Math.floor(n / 63) % 3), 1 + (n % 63)];
    const precision = bit === 13 ? bit : (bit + 1) * 16 + bit;
    return Buffer.from([0xff, 0xda, 0, 8, 1, component, 0, coefficient, coefficient, precision, ...data]);
  });
  const secondScan = whole.indexOf(Buffer.from([0xff, 0xda]), whole.indexOf(Buffer.from([0xff, 0xda])) + 2);
  return Buffer.concat([whole.subarray(0, secondScan), table, ...scans, whole.subarray(-2)]);
}
