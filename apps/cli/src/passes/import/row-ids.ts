import { createHmac } from 'node:crypto';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 22;

/**
 * Derives the id of a row's pass: 22 base62 characters, the same in every attempt, and unpredictable without the key.
 * @param key 16 random bytes, one value per import
 * @param row counted from 1
 */
export function rowId(key: Buffer, row: number): string {
  let rest = BigInt(`0x${createHmac('sha256', key).update(String(row)).digest('hex')}`);
  let id = '';
  for (let i = 0; i < LENGTH; i++) {
    id += base62[Number(rest % 62n)];
    rest /= 62n;
  }
  return id;
}
