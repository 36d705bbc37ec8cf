import { createHash } from 'node:crypto';
import { StorageUnavailable } from '@passwright/core';
import { parsedUrl } from '@passwright/wallet-renderers';
import { imageTypes, type ImageExtension, type ImageFile } from '../variants/image-file.js';

const fileForm = /^[0-9a-f]{64}\.(png|jpg|webp)$/;
const accountForm = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns the storage key of `/images/{accountId}/{file}`; null if no image can have this address. */
export function imageKey(accountId: string, file: string): string | null {
  return accountForm.test(accountId) && fileForm.test(file) ? `images/${accountId}/${file}` : null;
}

/**
 * Returns the storage key of an account's image. The key is derived from the content, so that the same image is stored
 * only once.
 */
export function keyOf(accountId: string, { bytes, extension }: Pick<ImageFile, 'bytes' | 'extension'>): string {
  return `images/${accountId}/${contentHash(bytes)}.${extension}`;
}

/** Returns the SHA-256 in lower-case hex. */
export function contentHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Checks the content of a stored image against its key, because a package that contains it is cached.
 * @throws StorageUnavailable
 */
export function requireContentOf(key: string, bytes: Uint8Array): void {
  if (key.includes(contentHash(bytes))) return;
  throw new StorageUnavailable(new Error(`The content of ${key} is not that of the image`));
}

/** Returns the media type of a stored image by its file name; PNG if the name is not that of an image. */
export function imageTypeOf(file: string): string {
  const [, extension = 'png'] = fileForm.exec(file) ?? [];
  return imageTypes[extension as ImageExtension];
}

/**
 * Returns the storage key of the account's upload with this address; null for any other address. Ignores the base URL,
 * which may have changed.
 */
export function uploadKeyOf(accountId: string, url: string): string | null {
  const [file = '', folder = '', images] = parsedUrl(url)?.pathname.split('/').reverse() ?? [];
  return images === 'images' && folder === accountId ? imageKey(folder, file) : null;
}
