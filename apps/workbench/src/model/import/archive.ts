import { unzipSync } from 'fflate';

/**
 * The maximum size of a file, larger than any pass, because a larger archive could exhaust the memory of the browser.
 */
const MOST_BYTES = 40 * 2 ** 20;
const MOST_FILES = 500;

/** Returns the content of a file. @throws Error for a file that is larger than any pass */
export async function bytesOf(file: Blob): Promise<Uint8Array> {
  if (file.size > MOST_BYTES) throw tooLarge();
  return new Uint8Array(await file.arrayBuffer());
}

/**
 * Reads the files of a zip archive that are in the folder of `pass.json`, by their path in that folder.
 * @throws Error that says why a file cannot be read
 */
export function filesOf(bytes: Uint8Array): Map<string, Uint8Array> {
  let [count, size] = [0, 0];
  // The archive only claims these sizes. `size` applies to a stored file, `originalSize` to a compressed one.
  const accept = ({ size: storedSize, originalSize }: Sizes) => {
    [count, size] = [count + 1, size + Math.max(storedSize, originalSize)];
    return count <= MOST_FILES && size <= MOST_BYTES;
  };
  const entries = Object.entries(unzipped(bytes, accept)).filter(([name]) => !name.endsWith('/'));
  if (count > MOST_FILES || size > MOST_BYTES) throw tooLarge();
  const [path = ''] = entries.find(([name]) => /(?:^|\/)pass\.json$/.test(name)) ?? [];
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return new Map(
    entries.flatMap(([name, content]) => (name.startsWith(folder) ? [[name.slice(folder.length), content]] : [])),
  );
}

interface Sizes {
  readonly size: number;
  readonly originalSize: number;
}

const tooLarge = () => new Error('The file is larger than any pass.');

function unzipped(bytes: Uint8Array, filter: (file: Sizes) => boolean): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter });
  } catch {
    throw new Error('The file is neither a .pkpass nor another zip archive.');
  }
}
