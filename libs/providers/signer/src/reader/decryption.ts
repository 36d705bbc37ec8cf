import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CertificateRejected } from '@passwright/core/plain';

/**
 * The maximum number of iterations of a key derivation. OpenSSL uses 2048, browsers up to 600,000. A million takes some
 * seconds in the old scheme of PKCS#12.
 */
const MAX_ITERATIONS = 1_000_000;
/** The time limit for a decryption that is slow despite few iterations, for example because the file has many parts. */
const TIME_LIMIT_MS = 15_000;
/** Returns the path of the worker script, which is in a folder beside `src` and `dist`. Bundlers do not include it. */
const workerPath = () => join(__dirname, '../../worker/decrypt.cjs');

/** An encrypted file and its passphrase. */
export type Encrypted = { readonly passphrase: string } & (
  { readonly pkcs12: Uint8Array } | { readonly privateKeyPem: string }
);

/** DER bytes: X.509 certificates and PKCS#8 private keys. */
export interface Opened {
  readonly certificates: readonly Uint8Array[];
  readonly privateKeys: readonly Uint8Array[];
}

interface Problem {
  readonly problem: 'passphrase' | 'iterations' | 'unreadable';
  readonly detail: string;
}

/**
 * Opens a PKCS#12 file or an encrypted private key in its own thread, so that the service keeps responding. The caller
 * limits the number of concurrent calls. @throws CertificateRejected with the reason
 */
export async function decrypt(encrypted: Encrypted): Promise<Opened> {
  const response = await inThread(encrypted);
  if ('problem' in response) throw new CertificateRejected([sentence(encrypted, response)]);
  return response;
}

async function inThread(encrypted: Encrypted): Promise<Opened | Problem> {
  const worker = new Worker(workerPath(), {
    workerData: { ...encrypted, maxIterations: MAX_ITERATIONS },
    // Run the thread without the flags of the parent process.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  const limit = setTimeout(() => void worker.terminate(), TIME_LIMIT_MS);
  try {
    return await new Promise((resolve) => {
      worker.once('message', resolve);
      worker.once('error', ({ message }) => resolve({ problem: 'unreadable', detail: message }));
      worker.once('exit', () => resolve({ problem: 'iterations', detail: 'stopped' }));
    });
  } finally {
    clearTimeout(limit);
    await worker.terminate();
  }
}

function sentence(encrypted: Encrypted, { problem, detail }: Problem): string {
  const what = 'pkcs12' in encrypted ? 'PKCS#12 file' : 'private key';
  switch (problem) {
    case 'passphrase':
      return encrypted.passphrase
        ? `The passphrase does not open the ${what}.`
        : `The ${what} is encrypted: hand in its passphrase.`;
    case 'iterations':
      return (
        `The ${what} takes too long to decrypt: it may ask for ${MAX_ITERATIONS.toLocaleString('en')} iterations at most. ` +
        'Export it again with the usual 2048.'
      );
    case 'unreadable':
      return 'pkcs12' in encrypted
        ? `The PKCS#12 file cannot be read (${detail}): it is damaged, is not a PKCS#12 file, or is encrypted in a way that is not known here. Hand in certificate and private key as PEM instead.`
        : `The private key cannot be decrypted (${detail}): hand it in as plain PEM, or encrypted with PBES2 (openssl pkcs8 -topk8).`;
  }
}
