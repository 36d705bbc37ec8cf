/** Reads the files of packages. */
import yauzl from 'yauzl';

export async function packageOf(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Unpacks a package. @returns its files by name */
export async function unzip(bytes) {
  const zip = await new Promise((resolve, reject) =>
    yauzl.fromBuffer(bytes, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  /** @type {Record<string, Buffer>} */
  const files = {};
  await new Promise((resolve, reject) => {
    zip.on('end', resolve).on('error', reject);
    zip.on('entry', (entry) => {
      zip.openReadStream(entry, async (error, stream) => {
        if (error) return reject(error);
        files[entry.fileName] = Buffer.concat(await stream.toArray());
        zip.readEntry();
      });
    });
    zip.readEntry();
  });
  return files;
}
