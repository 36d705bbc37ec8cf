// The package of a pass, as a phone downloads it.
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { fromBuffer } from 'yauzl';

/**
 * Downloads the package of a pass from a node.
 * @returns the ids with which a phone names the pass, and the token with which it authenticates
 */
export async function downloadPass(url, walletAUrl) {
  const response = await fetch(url + new URL(walletAUrl).pathname);
  const pass = await passJsonOf(Buffer.from(await response.arrayBuffer()));
  const { passTypeIdentifier, serialNumber, authenticationToken } = pass;
  return { ids: { passTypeIdentifier, serialNumber }, token: authenticationToken };
}

async function passJsonOf(bytes) {
  const archive = await promisify(fromBuffer)(bytes);
  return new Promise((resolve, reject) => {
    archive.on('error', reject).on('entry', (entry) => {
      if (entry.fileName !== 'pass.json') return;
      archive.openReadStream(
        entry,
        (_, stream) => void buffer(stream).then((text) => resolve(JSON.parse(text.toString())), reject),
      );
    });
  });
}
