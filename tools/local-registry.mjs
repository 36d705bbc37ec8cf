import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** A release date in the past. Some package managers reject releases that are too recent. */
const PUBLISHED = '2020-01-01T00:00:00.000Z';

/**
 * Serves tarballs like an npm registry on this machine. Use it only for the packages' scope:
 * `@passwright:registry=<url>`.
 * @param {Map<string, string>} tarballs paths by package name
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function serveRegistry(tarballs) {
  const server = createServer((request, response) => {
    const name = [...tarballs.keys()].find((each) => `${pathOf(request)}/`.startsWith(`/${each}/`));
    const path = name && tarballs.get(name);
    if (!path) return response.writeHead(404).end('{}');
    if (pathOf(request).endsWith('.tgz')) return response.end(readFileSync(path));
    response.setHeader('Content-Type', 'application/json');
    return response.end(JSON.stringify(documentOf(path, `http://${request.headers.host}`)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/** Returns the path of a request. In scoped package names, npm encodes the slash. */
function pathOf({ url = '' }) {
  return decodeURIComponent(url.split('?')[0] ?? '');
}

/** Returns a registry's document about a package. It lists one version. */
function documentOf(path, registry) {
  const manifest = JSON.parse(execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' }));
  const { name, version } = manifest;
  const bytes = readFileSync(path);
  const hash = (algorithm, encoding) => createHash(algorithm).update(bytes).digest(encoding);
  const dist = {
    tarball: `${registry}/${name}/-/${name.split('/')[1]}-${version}.tgz`,
    integrity: `sha512-${hash('sha512', 'base64')}`,
    shasum: hash('sha1', 'hex'),
  };
  return {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, dist } },
    time: { created: PUBLISHED, modified: PUBLISHED, [version]: PUBLISHED },
  };
}
