import { WalletUnavailable, type PushResult } from '@passwright/core';
import { ApnsPush } from '@passwright/apple-push';
import { ResolvedCredentials } from '@passwright/signer';
import { type Finding, type Installation, ok, problem, warning } from './finding.js';

/** A token that belongs to no device. A push service that accepts the certificate reports it as invalid. */
const UNKNOWN_TOKEN = '0'.repeat(64);

/** Checks that Apple's push service accepts a connection and the certificate. Sends no push to any device. */
export async function pushCheck({ config, now, limitMs }: Installation): Promise<Finding[]> {
  if (config.signer.identity.kind === 'development') {
    const { url } = config.applePush;
    // Do not load the development certificate, because that may create or renew it.
    if (url) return [ok(`Pushes go to ${url} with the development certificate, which the doctor does not try.`)];
    return [ok('Pushes are off: Apple does not know the development certificate.')];
  }
  const clock = { now: () => now };
  const credentials = await ResolvedCredentials.load(config.signer, clock);
  const most = limitMs * 0.8;
  const limits = { connectTimeoutMs: most, streamTimeoutMs: most, waitTimeoutMs: most, shutdownMs: 100 };
  const push = new ApnsPush(config.applePush, credentials, clock, limits);
  try {
    return [findingOf(await push.push('', UNKNOWN_TOKEN), config.applePush.url ?? 'https://api.push.apple.com')];
  } catch (error) {
    if (!(error instanceof WalletUnavailable)) throw error;
    return [problem(error.message, 'Renew the certificate first.')];
  } finally {
    await push.onApplicationShutdown();
  }
}

function findingOf({ outcome, reason, status }: PushResult, url: string): Finding {
  const said = reason ? ` (${reason})` : '';
  switch (outcome) {
    case 'bad_token':
    case 'gone':
    case 'accepted':
      return ok(`${url} takes the certificate.`);
    case 'off':
      return ok('Pushes are off: Apple does not know the development certificate.');
    case 'credential_rejected':
    case 'invalid':
    case 'rejected':
      return problem(
        `${url} rejects the certificate${said}.`,
        'Passes are not updated on iPhones. Check in Apple’s developer portal that the certificate is not revoked, and is that of the Pass Type ID.',
      );
    default:
      return status === null
        ? problem(
            `${url} cannot be reached${said}.`,
            'Let this machine connect to api.push.apple.com, port 443, without a proxy that decrypts HTTP/2.',
          )
        : warning(`${url} is busy${said}.`, 'Nothing to do: pushes are repeated. Check again in some minutes.');
  }
}
