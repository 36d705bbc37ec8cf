import { expired, type ErrorCase } from './device-error-cases.js';
import type { Account, RunningService } from '../support/running-service.js';

interface Driven {
  readonly service: () => RunningService;
  readonly account: () => Account;
}

/** Returns the error cases of a bundle and of a page. */
export function bundleErrorCases({ service, account }: Driven): ErrorCase[] {
  const routes = {
    getAppleBundle: () => `/v1/pass/${account().id}/bundle/walletA`,
    getBundlePage: () => `/p/${account().id}/bundle`,
  };
  const cases = (operation: keyof typeof routes): ErrorCase[] => {
    const ask = (...passes: string[]) =>
      service().request('GET', `${routes[operation]()}?${passes.map((name) => `pass=${name}`).join('&')}`);
    return [
      [operation, '400 validation_failed', 'no pass is named', () => ask()],
      [
        operation,
        '400 bundle_too_large',
        '11 passes are named',
        () => ask(...Array.from({ length: 11 }, (_, n) => `offer:${n}`)),
      ],
      [operation, '404 pass_not_found', 'a pass does not exist', () => ask('offer:none')],
      [operation, '410 pass_deleted', 'a pass was deleted', async () => ask(await deletedPass(account()))],
    ];
  };
  const unavailable = async () => {
    const name = await livePass(account());
    return expired(service(), () => service().request('GET', `${routes.getAppleBundle()}?pass=${name}`));
  };
  const gone = async () => `/p/${account().id}/${(await deletedPass(account())).replace(':', '/')}`;
  return [
    ...cases('getAppleBundle'),
    ['getAppleBundle', '503 wallet_unavailable', 'the certificate has expired', unavailable],
    ...cases('getBundlePage'),
    ['getWebView', '410 pass_deleted', 'the pass was deleted', async () => service().request('GET', await gone())],
  ];
}

async function livePass(account: Account): Promise<string> {
  return `offer:${(await account.post('/v1/pass/offer', {})).body.pass.id}`;
}

/**
 * Issues and deletes a pass.
 * @returns its name in the query of a bundle
 */
export async function deletedPass(account: Account): Promise<string> {
  const name = await livePass(account);
  await account.delete(`/v1/pass/${name.replace(':', '/')}`);
  return name;
}
