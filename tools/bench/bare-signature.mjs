import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const attributes = randomBytes(105);
const signAsync = promisify(sign);

/** Signs once with RSA-2048 in the thread pool, as many bytes as the signature of a package covers. */
export function signOnce() {
  return signAsync('sha256', attributes, privateKey);
}

/** Signs with RSA-2048 for some seconds, 16 signatures at a time. Returns the CPU per signature in ms. */
export async function bareSignature(seconds) {
  const end = Date.now() + seconds * 1000;
  const before = process.cpuUsage();
  let count = 0;
  const worker = async () => {
    for (; Date.now() < end; count += 1) await signOnce();
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}
