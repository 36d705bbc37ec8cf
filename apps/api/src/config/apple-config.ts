import { join } from 'node:path';
import type { ApplePushOptions } from '@passwright/apple-push';
import { appleWwdrG4, loadSigningMaterial, type SignerOptions } from '@passwright/signer';
import { variables, type Values } from './variables/variables.js';

/** Selects the operator's certificate, or the development chain when none is set. */
export function signerOptions(values: Values, dataDir: string): SignerOptions {
  const { APPLE_CERTIFICATE, APPLE_PRIVATE_KEY, APPLE_PRIVATE_KEY_PASSPHRASE, APPLE_INTERMEDIATE } = values;
  const development = { kind: 'development', dir: join(dataDir, 'development-chain') } as const;
  if (!APPLE_CERTIFICATE || !APPLE_PRIVATE_KEY) return { identity: development };
  return {
    testIdentity: development,
    identity: {
      kind: 'certificate',
      certificatePem: APPLE_CERTIFICATE,
      privateKeyPem: APPLE_PRIVATE_KEY,
      passphrase: APPLE_PRIVATE_KEY_PASSPHRASE,
      intermediatePem: APPLE_INTERMEDIATE ?? appleWwdrG4.toString(),
    },
  };
}

export function applePushOptions(values: Values): ApplePushOptions {
  return { url: values.APPLE_PUSH_URL ?? null, ca: values.APPLE_PUSH_CA ?? null };
}

/** Lists missing variables of a certificate, and a `BASE_URL` that iPhones would reject. */
export function missingForApple(environment: Readonly<Record<string, string | undefined>>): string[] {
  const pair = ['APPLE_CERTIFICATE', 'APPLE_PRIVATE_KEY'] as const;
  const absent = pair.filter((name) => !environment[name]);
  const isNeeded = absent.length === 1 || (absent.length === 2 && environment.APPLE_INTERMEDIATE);
  const problems = isNeeded
    ? absent.map((name) => `${name} is missing; for example ${name}=${variables[name].example}`)
    : [];
  if (environment.APPLE_CERTIFICATE && !environment.BASE_URL?.startsWith('https://')) {
    problems.push(
      `BASE_URL must be an https address when APPLE_CERTIFICATE is set, as iPhones reject any other; for example BASE_URL=${variables.BASE_URL.example}`,
    );
  }
  return problems;
}

/**
 * Reports a certificate that can never sign, so that the start fails early. Accepts an expired certificate, with which
 * downloads of passes respond with 503.
 */
export function certificateProblems(values: Values): string[] {
  const { identity } = signerOptions(values, '');
  if (identity.kind === 'development') return [];
  try {
    loadSigningMaterial(identity);
    return [];
  } catch (error) {
    return [`APPLE_CERTIFICATE, APPLE_PRIVATE_KEY and APPLE_INTERMEDIATE: ${(error as Error).message}`];
  }
}
