import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { LookupAddress } from 'node:dns';
import type { AddressInfo } from 'node:net';
import { maxImageBytes, UnusableImage } from '../processing/image-limits.js';
import { RemoteImage } from './remote-image.service.js';

/**
 * A `RemoteImage` with fake DNS and a time-out that is long enough for a busy machine. `hurried` shortens the time-out.
 */
class TestRemoteImage extends RemoteImage {
  override timeoutMs = 10_000;
  readonly asked: string[] = [];

  constructor(
    imageHostsAllowed: string[],
    private readonly names: Record<string, string[]> = {},
  ) {
    super({ baseUrl: 'http://localhost:3000', imageHostsAllowed });
  }

  protected override resolve(hostname: string): Promise<LookupAddress[]> {
    this.asked.push(hostname);
    const addresses = this.names[hostname];
    if (!addresses) return Promise.reject(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }));
    return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  }
}

const names = { 'assets.example': ['127.0.0.1'] };
const servers: Server[] = [];
const clients: RemoteImage[] = [];

async function serve(listener: RequestListener): Promise<{ url: string; port: number; client: TestRemoteImage }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = clientOf([`assets.example:${port}`]);
  return { url: `http://assets.example:${port}/image.png`, port, client };
}

function hurried(client: TestRemoteImage): TestRemoteImage {
  client.timeoutMs = 500;
  return client;
}

function clientOf(allowed: string[], hosts: Record<string, string[]> = names): TestRemoteImage {
  const client = new TestRemoteImage(allowed, hosts);
  clients.push(client);
  return client;
}

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.onApplicationShutdown()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe('fetching an image from an allowed host', () => {
  it('RemoteImage returns the bytes of an image', async () => {
    const { url, client } = await serve((_request, response) => response.end('picture'));
    expect(Buffer.from(await client.fetch(url)).toString()).toBe('picture');
  });

  it('RemoteImage sends the host of the URL in the Host header, and sends no credentials', async () => {
    let seen: NodeJS.Dict<string | string[]> = {};
    const { url, port, client } = await serve((request, response) => {
      seen = request.headers;
      response.end();
    });
    await client.fetch(url);
    expect(seen.host).toBe(`assets.example:${port}`);
    expect([seen.cookie, seen.authorization]).toEqual([undefined, undefined]);
  });

  it('RemoteImage follows up to 3 redirects to an image, including relative ones', async () => {
    const { url, client } = await serve((request, response) => {
      const hop = Number(request.url?.slice(1)) || 0;
      if (hop === 3) response.end('picture');
      else response.writeHead([301, 302, 307][hop] ?? 308, { location: `/${hop + 1}` }).end();
    });
    expect(Buffer.from(await client.fetch(url)).toString()).toBe('picture');
  });

  it('RemoteImage gives up fetching an image after more than 3 redirects', async () => {
    let hits = 0;
    const { url, client } = await serve((_request, response) => {
      hits++;
      response.writeHead(302, { location: '/again' }).end();
    });
    await expect(client.fetch(url)).rejects.toThrow(/redirects more than 3 times/);
    expect(hits).toBe(4);
  });

  it('RemoteImage names an unexpected status in the error', async () => {
    const { url, client } = await serve((_request, response) => response.writeHead(404).end('none'));
    await expect(client.fetch(url)).rejects.toThrow(/status 404/);
  });

  it('RemoteImage accepts an image of 5 MiB', async () => {
    const { url, client } = await serve((_request, response) => response.end(Buffer.alloc(maxImageBytes)));
    expect((await client.fetch(url)).length).toBe(maxImageBytes);
  });

  it('RemoteImage rejects an image of more than 5 MiB, whether or not the server announces the size', async () => {
    const announced = await serve((_request, response) =>
      response.writeHead(200, { 'content-length': maxImageBytes + 1 }).write('x'),
    );
    await expect(announced.client.fetch(announced.url)).rejects.toThrow(/larger than 5 MiB/);
    const endless = await serve((_request, response) => {
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    });
    await expect(endless.client.fetch(endless.url)).rejects.toThrow(/larger than 5 MiB/);
  });

  it('RemoteImage gives up if the headers or the body take too long, even while bytes keep arriving slowly', async () => {
    const silent = await serve(() => undefined);
    const trickling = await serve((_request, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });
    await Promise.all(
      [silent, trickling].map(({ client, url }) =>
        expect(hurried(client).fetch(url)).rejects.toThrow(/did not arrive within 0.5 s/),
      ),
    );
  });

  it('RemoteImage reports a rejected or broken connection to an image server', async () => {
    const broken = await serve((request) => request.socket.destroy());
    await expect(broken.client.fetch(broken.url)).rejects.toThrow(UnusableImage);
    const cut = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('x', () => response.destroy());
    });
    await expect(cut.client.fetch(cut.url)).rejects.toThrow(/did not arrive within/);
  });

  it('RemoteImage returns the same error for a host without an address and for a host with a private address', async () => {
    const client = clientOf([], { 'intranet.example': ['10.0.0.1'] });
    const problems = ['nowhere', 'intranet'].map((name) => client.fetch(`http://${name}.example/`).catch(String));
    const [nowhere, intranet] = await Promise.all(problems);
    expect(String(nowhere).replace('nowhere', 'intranet')).toBe(intranet);
    expect(intranet).toContain('could not be fetched: its host intranet.example has no public address');
  });

  it('RemoteImage returns the same error for ports that are closed, disconnect, do not speak TLS or stay silent', async () => {
    const { url, client } = await serve((request) => request.socket.destroy());
    const plain = await serve((_request, response) => response.end());
    const silent = await serve(() => undefined);
    const problems = await Promise.all([
      hurried(clientOf(['127.0.0.1:1']))
        .fetch('http://127.0.0.1:1/')
        .catch(String),
      hurried(client).fetch(url).catch(String),
      hurried(plain.client).fetch(plain.url.replace('http:', 'https:')).catch(String),
      hurried(silent.client).fetch(silent.url).catch(String),
    ]);
    expect(new Set(problems)).toEqual(
      new Set(['Error: did not arrive within 0.5 s; check its host, port and certificate']),
    );
  });

  it('RemoteImage does not connect to ports below 1024 other than 80 and 443', async () => {
    const client = clientOf([], { 'assets.example': ['93.184.215.14'] });
    await expect(client.fetch('https://assets.example:22/')).rejects.toThrow(/^could not be fetched: its port 22 must/);
  });
});

describe('fetching an image from a private or special address', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://2130706433/',
    'http://127.0.0.1./',
    'http://①②⑦.0.0.1/',
    'http://0/',
    'http://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data/',
    'http://192.168.0.1:8080/',
    'http://100.64.0.1/',
    'https://172.16.0.1/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
  ])('RemoteImage rejects %s without connecting', async (url) => {
    const client = clientOf([]);
    await expect(client.fetch(url)).rejects.toThrow(/no public address/);
    expect(client.asked).toEqual([]);
  });

  it.each([[['10.0.0.1']], [['93.184.215.14', '127.0.0.1']], [['2606:4700::1', '::1']], [['::ffff:10.0.0.1']]])(
    'RemoteImage rejects a name that resolves to %j',
    async (addresses) => {
      const client = clientOf([], { 'rebound.example': addresses });
      await expect(client.fetch('http://rebound.example/')).rejects.toThrow(/rebound.example has no public address/);
    },
  );

  it('RemoteImage queries DNS once, so that it connects to the address that it has checked', async () => {
    const { url, client } = await serve((_request, response) => response.end('picture'));
    await client.fetch(url);
    expect(client.asked).toEqual(['assets.example']);
  });

  it.each(['http://127.0.0.1:1/', 'http://internal.example/', 'http://[::1]/', '//169.254.169.254/'])(
    'RemoteImage rejects a redirect to %s',
    async (location) => {
      const { port, url } = await serve((_request, response) => response.writeHead(302, { location }).end());
      const client = clientOf([`assets.example:${port}`], { ...names, 'internal.example': ['10.0.0.1'] });
      await expect(client.fetch(url)).rejects.toThrow(/no public address/);
    },
  );

  it('RemoteImage allows a host only on its allowed port', async () => {
    const { port } = await serve((_request, response) => response.end('picture'));
    const client = clientOf([`127.0.0.1:${port}`, 'assets.example:1']);
    expect((await client.fetch(`http://127.0.0.1:${port}/`)).length).toBe(7);
    await expect(client.fetch(`http://assets.example:${port}/`)).rejects.toThrow(/no public address/);
    await expect(clientOf(['127.0.0.1:1']).fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow(/no public address/);
  });
});

describe('fetching an image from an invalid address', () => {
  it.each([
    '',
    'image.png',
    'ftp://example.com/x',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'gopher://x/',
    'javascript:0',
    'http://',
    'http://[',
  ])('RemoteImage rejects the address %j', async (url) => {
    await expect(clientOf([]).fetch(url)).rejects.toThrow(/must be an http\(s\) URL/);
  });

  it('RemoteImage rejects an address with a user name or password', async () => {
    for (const url of ['http://user@example.com/', 'http://user:secret@example.com/', 'http://:secret@example.com/']) {
      await expect(clientOf([]).fetch(url)).rejects.toThrow(/without a user name or password/);
    }
  });

  it('RemoteImage rejects a redirect to another scheme or with credentials', async () => {
    for (const location of ['file:///etc/passwd', 'data:image/png;base64,AAAA', 'http://user@assets.example/']) {
      const { url, client } = await serve((_request, response) => response.writeHead(302, { location }).end());
      await expect(client.fetch(url)).rejects.toThrow(UnusableImage);
    }
  });
});
