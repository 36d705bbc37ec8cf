import { unzipSync } from 'fflate';

/** More than any pass needs. The browser would hold a larger archive in memory several times. */
const MOST_BYTES = 40 * 2 ** 20;
const MOST_FILES = 500;

/**
 * Reads the files of a zip archive by their path, without a folder that all of them share.
 * @throws Error that says why a file cannot be read
 */
export function filesOf(bytes: Uint8Array): Map<string, Uint8Array> {
  let [count, size] = [0, 0];
  const accept = ({ originalSize }: { originalSize: number }) => {
    [count, size] = [count + 1, size + originalSize];
    return count <= MOST_FILES && size <= MOST_BYTES;
  };
  const entries = Object.entries(unzipped(bytes, accept)).filter(([name]) => !name.endsWith('/'));
  if (count > MOST_FILES || size > MOST_BYTES) throw new Error('The file is larger than any pass.');
  const [path = ''] = entries.find(([name]) => /(?:^|\/)pass\.json$/.test(name)) ?? [];
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return new Map(
    entries.flatMap(([name, content]) => (name.startsWith(folder) ? [[name.slice(folder.length), content]] : [])),
  );
}

function unzipped(bytes: Uint8Array, filter: (file: { originalSize: number }) => boolean): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter });
  } catch {
    throw new Error('The file is neither a .pkpass nor another zip archive.');
  }
}
