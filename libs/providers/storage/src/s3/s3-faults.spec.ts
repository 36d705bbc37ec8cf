import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { type Counted, onCounted, StorageUnavailable } from '@passwright/core';
import type { S3Limits } from '../storage.options.js';
import { FaultyService, rejection, type Responder, silence, success } from './s3-faults.fixtures.js';
import { loadS3Library } from './s3-client.js';
import { S3PackageMissing } from './s3-package-missing.js';
import { S3Storage } from './s3-storage.js';

const key = 'images/acc_1/a.png';
let service: FaultyService;
let storage: S3Storage;
/** A storage with short time limits, for services that never respond. */
let hasty: S3Storage;

beforeAll(async () => {
  service = await FaultyService.start();
  storage = await S3Storage.load(service.store({ attemptMs: 3000, totalMs: 10_000 }));
  hasty = await S3Storage.load(service.store({ attemptMs: 300, totalMs: 900 }));
});
afterAll(async () => {
  storage.onApplicationShutdown();
  hasty.onApplicationShutdown();
  await service.stop();
});

const calls: Readonly<Record<string, (of: S3Storage) => Promise<unknown>>> = {
  put: (of) => of.put(key, Buffer.from('content'), 'image/png'),
  get: (of) => of.get(key),
  open: (of) => of.open(key),
  has: (of) => of.has(key),
  delete: (of) => of.delete(key),
  deleteUnder: (of) => of.deleteUnder('images', 10),
  list: (of) => of.list('images').next(),
};
const methods = Object.keys(calls);
const methodsWithBody = methods.filter((method) => method !== 'has');

async function failureOf(method: string, of = storage): Promise<StorageUnavailable> {
  const failure = await calls[method]!(of).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StorageUnavailable);
  expect(failure).toMatchObject({ statusCode: 503, code: 'storage_unavailable' });
  return failure as StorageUnavailable;
}

const causeOf = async (method: string, of = storage) => ((await failureOf(method, of)).cause as Error).message;

async function withLimits(limits: S3Limits, work: (of: S3Storage) => Promise<void>): Promise<void> {
  const other = await S3Storage.load(service.store(limits));
  await work(other);
  other.onApplicationShutdown();
}

/** Waits until a condition holds, or until the time limit of the test. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5);
}

/** Sends a Content-Length of `bytes`, but closes the connection after `sent` bytes. */
const cutOff =
  (bytes: number, sent: number): Responder =>
  (response) => {
    response.writeHead(200, { 'Content-Length': bytes });
    response.write(Buffer.alloc(sent), () => response.destroy());
  };

/** Begins a body that never ends. */
const endless =
  (status: number, piece: Buffer, everyMs = 0): Responder =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/xml' });
    const write = () => {
      if (response.destroyed) return;
      if (response.write(piece)) setTimeout(write, everyMs);
      else response.once('drain', write);
    };
    write();
  };

describe('a service that does not respond in time', () => {
  it.each(methods)(
    '503 storage_unavailable for %s if the service does not respond, and no connection stays open',
    async (method) => {
      service.script(silence);
      expect(await causeOf(method, hasty)).toContain('No complete response within');
      await until(() => service.unfinished.size === 0);
    },
  );

  it('503 storage_unavailable for a blob whose bytes stop arriving', async () => {
    service.script((response) => response.writeHead(200, { 'Content-Length': 500 }).write(Buffer.alloc(100)));
    expect(await causeOf('get', hasty)).toContain('No complete response within');
    await until(() => service.unfinished.size === 0);
  });

  it('S3Storage waits longer for a large blob than for a small one', async () => {
    const large = Buffer.alloc(600 * 1024);
    // At this pace, the blob takes longer than `attemptMs` alone, but not longer than the limit for its size.
    const slowly: Responder = (response) => {
      response.writeHead(200, { 'Content-Length': large.length }).write(large.subarray(1));
      setTimeout(() => response.end(large.subarray(0, 1)), 1200);
    };
    await withLimits({ attempts: 1, attemptMs: 800, totalMs: 800 }, async (of) => {
      service.script(slowly);
      expect(await of.get(key)).toHaveLength(large.length);
      service.script((response) => setTimeout(() => success('small')(response, service.received[0]!), 1200));
      expect(await causeOf('get', of)).toContain('No complete response within 800 ms');
      service.script((response) => setTimeout(() => success()(response, service.received[0]!), 1200));
      await of.put(key, large, 'image/png');
      expect(await causeOf('put', of)).toContain('No complete response within 800 ms');
    });
  });
});

describe('temporary errors', () => {
  it.each([
    [500, 'InternalError'],
    [503, 'SlowDown'],
    [429, 'TooManyRequests'],
    [400, 'RequestTimeout'],
  ])('S3Storage repeats a request after the response %d %s', async (status, code) => {
    for (const method of methods) {
      service.script(rejection(status, code), rejection(status, code), success('<ListBucketResult/>'));
      // Skip HEAD, because its response has no code that distinguishes a temporary 400 from others.
      if (method === 'has' && status === 400) continue;
      await calls[method]!(storage);
      expect([method, service.received.length]).toEqual([method, 3]);
    }
  });

  it.each(methods)('503 storage_unavailable for %s after the bucket has rejected three attempts', async (method) => {
    service.script(rejection(503, 'SlowDown'));
    expect(await causeOf(method)).toContain('503');
    expect(service.received).toHaveLength(3);
  });

  it('S3Storage repeats a request if the connection breaks or the blob is cut off', async () => {
    service.script((response) => response.destroy(), cutOff(1000, 10), success('whole'));
    expect(await storage.get(key)).toEqual(Buffer.from('whole'));
    expect(service.received).toHaveLength(3);
  });

  it('503 storage_unavailable for a blob that is cut off at every attempt', async () => {
    service.script(cutOff(1000, 10));
    expect(await causeOf('get')).toMatch(/cut off|of 1000 bytes/);
    expect(service.received).toHaveLength(3);
  });

  it('S3Storage gives up after its total time, even if attempts remain', async () => {
    await withLimits({ attempts: 1000, attemptMs: 150, totalMs: 400 }, async (of) => {
      service.script(silence);
      const late = pause(3000, 'late');
      expect(await Promise.race([causeOf('get', of), late])).toContain('No complete response');
      expect(service.received.length).toBeLessThan(5);
    });
  });
});

describe('permanent errors', () => {
  it.each([
    [403, 'AccessDenied', /s3:ListBucket/],
    [403, 'InvalidAccessKeyId', /InvalidAccessKeyId/],
    [404, 'NoSuchBucket', /Create the bucket/],
    [301, 'PermanentRedirect', /another region/],
    [400, 'InvalidRequest', /A message/],
  ])('an S3 response %d %s gives 503 storage_unavailable without another attempt', async (status, code, message) => {
    for (const method of methodsWithBody) {
      service.script(rejection(status, code));
      expect([method, await causeOf(method), service.received.length]).toEqual([
        method,
        expect.stringMatching(message),
        1,
      ]);
    }
  });

  it('S3Storage counts failed calls, but not single attempts or missing blobs', async () => {
    const counted: Counted[] = [];
    const end = onCounted((event) => counted.push(event));
    service.script(rejection(404, 'NoSuchKey'));
    await storage.get(key);
    service.script(rejection(503, 'SlowDown'), success('content'));
    await storage.get(key);
    expect(counted).toEqual([]);
    service.script(rejection(503, 'SlowDown'));
    await failureOf('get');
    end();
    expect(counted).toEqual([{ name: 'storage_failures', labels: {} }]);
  });

  it('S3Storage treats NoSuchKey as a missing blob', async () => {
    service.script(rejection(404, 'NoSuchKey'));
    expect([await storage.get(key), await storage.open(key), await storage.has(key)]).toEqual([null, null, false]);
    await storage.delete(key);
  });

  it.each([
    '',
    '<html>Not found<br>',
    '<html><body>Not found</body></html>',
    '<?xml version="1.0"?><Error><Message>Not found</Message></Error>',
    '<?xml version="1.0"?><Error><Code>NotFound</Code></Error>',
  ])("503 storage_unavailable for a proxy's page with status 404 and the body %j", async (body) => {
    service.script((response) => response.writeHead(404, { 'Content-Type': 'text/html' }).end(body));
    for (const method of methods) await failureOf(method);
  });

  it.each(['<Error><Code>Slow', 'not XML at all', '<html><body>502</body></html>', ''])(
    '503 storage_unavailable for an error whose body is %j',
    async (body) => {
      service.script((response) => response.writeHead(502).end(body));
      for (const method of methods) await failureOf(method);
    },
  );

  it('503 storage_unavailable for a list that is not XML', async () => {
    service.script(success('{"Contents": []}'), success('<ListBucketResult><Contents>'));
    await failureOf('list');
    await failureOf('deleteUnder');
  });
});

describe('successes that no bucket sends', () => {
  const html = '<html>Please sign in to this network</html>';
  /** Responds with status 200 and a page of a proxy. */
  const proxyPage: Responder = (response) => {
    response.removeHeader('ETag');
    response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': html.length }).end(html);
  };

  it.each(methods)('503 storage_unavailable for %s if a proxy responds with status 200 and a page', async (method) => {
    service.script(proxyPage);
    expect(await causeOf(method)).toContain('is this address a bucket?');
  });

  it.each(['put', 'get', 'open', 'has'])(
    'S3Storage repeats %s if the response has status 200 but no ETag',
    async (method) => {
      service.script((response, request) => {
        response.removeHeader('ETag');
        success()(response, request);
      }, success('content'));
      await calls[method]!(storage);
      expect(service.received).toHaveLength(2);
    },
  );

  it('503 storage_unavailable for a blob that was cut off in a response without length', async () => {
    service.script((response) => {
      response.useChunkedEncodingByDefault = false;
      response.writeHead(200, { Connection: 'close' }).end('half of');
    });
    expect(await causeOf('get')).toContain('not a whole object');
  });

  it.each([204, 206])('503 storage_unavailable for a blob with status %d', async (status) => {
    service.script((response) => response.writeHead(status, { 'Content-Length': 0 }).end());
    expect(await causeOf('get')).toContain('not a whole object');
  });

  it('S3Storage opens a blob whose name is its SHA-256 only with that content', async () => {
    const whole = Buffer.from('content');
    const named = `images/acc_1/${createHash('sha256').update(whole).digest('hex')}.png`;
    service.script(success('conten'), success(whole));
    expect((await storage.open(named))?.sizeBytes).toBe(whole.length);
    service.script(success('conten'));
    await expect(storage.open(named)).rejects.toThrow(StorageUnavailable);
  });

  it.each(['put', 'delete'])('S3Storage repeats %s after an error with status 200', async (method) => {
    const error = '<?xml version="1.0"?><Error><Code>InternalError</Code><Message>A message.</Message></Error>';
    service.script((response) => response.writeHead(200, { 'Content-Length': error.length }).end(error), success());
    await calls[method]!(storage);
    expect(service.received).toHaveLength(2);
  });

  it.each([
    '<Response><Error>blocked</Error></Response>',
    '<?xml version="1.0"?><Error><Code>InternalError</Code><Message>A message.</Message></Error>\n',
  ])('503 storage_unavailable for a write or list with status 200 and the body %j', async (body) => {
    service.script((response) => {
      response.removeHeader('ETag');
      response.writeHead(200, { 'Content-Length': body.length }).end(body);
    });
    for (const method of ['put', 'delete', 'deleteUnder', 'list']) {
      expect(await causeOf(method)).toContain('is this address a bucket?');
    }
  });

  it('S3Storage reads a blob that arrives in chunks', async () => {
    service.script((response) => response.writeHead(200).end('content'));
    expect(await storage.get(key)).toEqual(Buffer.from('content'));
  });
});

describe('responses without end', () => {
  const piece = Buffer.alloc(64 * 1024, 'x');
  /** Time limits that a transfer of 4 MiB never reaches, but that end before the test does. */
  const patient = { attempts: 1, attemptMs: 20_000, totalMs: 20_000 };

  it.each(methodsWithBody)('S3Storage cuts off an endless error page after 4 MiB (%s)', async (method) => {
    await withLimits(patient, async (of) => {
      service.script(endless(500, piece));
      expect(await causeOf(method, of)).toMatch(/more than 4194304 bytes/);
      await until(() => service.unfinished.size === 0);
    });
  });

  it('S3Storage cuts off an endless blob after 24 MiB', async () => {
    await withLimits(patient, async (of) => {
      service.script(endless(200, piece));
      expect(await causeOf('get', of)).toMatch(/more than 25165824 bytes/);
      await until(() => service.unfinished.size === 0);
    });
  });

  it.each(methodsWithBody)(
    'S3Storage cuts off a slow error page at the time limit of the attempt (%s)',
    async (method) => {
      service.script(endless(500, Buffer.from('x'), 20));
      expect(await causeOf(method, hasty)).toContain('No complete response within');
      await until(() => service.unfinished.size === 0);
    },
  );

  it('S3Storage does not read a blob whose Content-Length is too large', async () => {
    await withLimits(patient, async (of) => {
      service.script((response) => response.writeHead(200, { 'Content-Length': 2 ** 40 }).write('x'));
      expect(await causeOf('get', of)).toMatch(/more than 25165824 bytes/);
      expect(service.received).toHaveLength(1);
    });
  });
});

const page = (keys: readonly string[], next?: string) => {
  const contents = keys.map((each) => `<Contents><Key>${each}</Key><Size>${each.length}</Size></Contents>`).join('');
  const more =
    next === undefined ? 'false' : `true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`;
  return success(
    `<ListBucketResult><IsTruncated>${more}${next === undefined ? '</IsTruncated>' : ''}${contents}</ListBucketResult>`,
  );
};

describe('lists of several pages', () => {
  it('S3Storage lists every page, and requests each next page by its token', async () => {
    service.script(page(['many/a', 'many/b'], 'to+ken/='), page(['many/c']));
    const found: string[] = [];
    for await (const { key: each, sizeBytes } of storage.list('many')) found.push(`${each} ${sizeBytes}`);
    expect(found).toEqual(['many/a 6', 'many/b 6', 'many/c 6']);
    const tokens = service.received.map(({ path }) => new URL(path, 'http://x').searchParams.get('continuation-token'));
    expect(tokens).toEqual([null, 'to+ken/=']);
  });

  it('S3Storage deletes blobs from several pages of a list, up to the limit of the call', async () => {
    const deleted: Responder = (response) => response.writeHead(204).end();
    service.script(page(['many/a', 'many/b'], 'next'), deleted, deleted, page(['many/c', 'many/d'], 'more'), deleted);
    expect(await storage.deleteUnder('many', 3)).toBe(3);
    const paths = service.received.filter(({ method }) => method === 'DELETE').map(({ path }) => path.split('?')[0]);
    expect(paths.sort()).toEqual(['/bucket/many/a', '/bucket/many/b', '/bucket/many/c']);
  });
});

describe('lists that a service gets wrong', () => {
  const deleted: Responder = (response) => response.writeHead(204).end();

  it('S3Storage deletes all objects of a folder, even those of other programs', async () => {
    service.script(page(['many/', 'many/a b', 'many/.hidden']), deleted);
    expect(await storage.deleteUnder('many', 10)).toBe(3);
    const paths = service.received.filter(({ method }) => method === 'DELETE').map(({ path }) => path.split('?')[0]);
    expect(paths.sort()).toEqual(['/bucket/many/', '/bucket/many/.hidden', '/bucket/many/a%20b']);
  });

  it.each(['list', 'deleteUnder'] as const)(
    '503 storage_unavailable for %s if a truncated page has no token, or if the pages never end',
    async (method) => {
      const read = { list: () => readAll('many'), deleteUnder: () => storage.deleteUnder('many', 100) }[method];
      const cutOff = success('<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>');
      for (const wrong of [cutOff, page([], 'next')]) {
        service.script(wrong);
        await expect(read()).rejects.toMatchObject({
          code: 'storage_unavailable',
          cause: { message: expect.stringMatching(/^list many in the bucket bucket: S3ListInvalid: A page/) },
        });
        expect(service.received.length).toBeLessThan(3);
      }
    },
  );

  it('503 storage_unavailable for a list that repeats a continuation token', async () => {
    service.script(page(['many/a'], 'next'));
    await expect(readAll('many')).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(service.received).toHaveLength(2);
  });

  async function readAll(folder: string): Promise<number> {
    let count = 0;
    for await (const { key: each } of storage.list(folder)) count += each.length;
    return count;
  }
});

describe('readers', () => {
  it('S3Storage keeps no connection open for a stream that is not read', async () => {
    service.script(success(Buffer.alloc(200_000)));
    // Allow more time, because a hundred blobs take longer on a busy machine.
    await withLimits({ attemptMs: 20_000, totalMs: 20_000 }, async (of) => {
      const opened = await Promise.all(Array.from({ length: 100 }, () => of.open(key)));
      expect(await of.get(key)).toHaveLength(200_000);
      for (const blob of opened) blob!.stream.destroy();
      await Promise.all(opened.map(async (blob) => blob!.stream.closed || once(blob!.stream, 'close')));
    });
    storage.onApplicationShutdown();
    await until(() => service.sockets.size === 0);
  });
});

describe('requests of S3Storage', () => {
  it('S3Storage signs the bytes of an upload and sends them without waiting for 100 Continue', async () => {
    service.script(success());
    await storage.put(key, Buffer.alloc(3 * 2 ** 20, 7), 'image/png');
    const [{ method, path, headers, sha256, body }] = service.received as [FaultyService['received'][number]];
    expect([method, path.replace(/\?.*/, ''), body.length]).toEqual(['PUT', `/bucket/${key}`, 3 * 2 ** 20]);
    expect(headers).toMatchObject({ 'x-amz-content-sha256': sha256, 'content-type': 'image/png' });
    expect(
      Object.keys(headers).filter((name) => /^(expect|x-amz-(server-side|checksum|sdk-checksum).*)$/.test(name)),
    ).toEqual([]);
  });

  it.each([
    [{ kind: 'AES256' as const }, { 'x-amz-server-side-encryption': 'AES256' }],
    [{ kind: 'aws:kms' as const }, { 'x-amz-server-side-encryption': 'aws:kms' }],
    [
      { kind: 'aws:kms' as const, keyId: 'alias/passwright' },
      {
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': 'alias/passwright',
      },
    ],
  ])('S3Storage requests the encryption %j', async (encryption, expected) => {
    service.script(success());
    const other = await S3Storage.load({ ...service.store(), encryption, prefix: 'a/b' });
    await calls.put!(other);
    expect(service.received[0]!.path).toMatch(`/bucket/a/b/${key}`);
    const sent = Object.entries(service.received[0]!.headers).filter(([name]) => name.includes('server-side'));
    expect(Object.fromEntries(sent)).toEqual(expected);
    other.onApplicationShutdown();
  });
});

it('S3Storage repeats a request if the lookup of the host fails temporarily', async () => {
  const lookup = Object.assign(new Error('getaddrinfo EAI_AGAIN bucket.test'), { code: 'EAI_AGAIN' });
  const send = jest.spyOn(S3Client.prototype, 'send').mockImplementation(() => {
    throw lookup;
  });
  expect(await causeOf('get')).toContain('EAI_AGAIN');
  expect(send).toHaveBeenCalledTimes(3);
  send.mockRestore();
});

it('the error without the S3 library names the package to install', async () => {
  const cause = Object.assign(new Error("Cannot find module '@aws-sdk/client-s3'"), { code: 'ERR_MODULE_NOT_FOUND' });
  const failure = await loadS3Library(() => Promise.reject(cause)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(S3PackageMissing);
  expect(failure).toMatchObject({ cause, message: expect.stringContaining('npm install @aws-sdk/client-s3@3') });
});

it('S3Storage does not report the package as missing if the package fails while it loads', async () => {
  const cause = new SyntaxError('Unexpected token');
  await expect(loadS3Library(() => Promise.reject(cause))).rejects.toBe(cause);
});
