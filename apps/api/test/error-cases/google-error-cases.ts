import { GoogleWallet, Unauthorized, WalletUnavailable } from '@passwright/core';
import { deletedPass } from './bundle-error-cases.js';
import type { ErrorCase } from './device-error-cases.js';
import type { Account, ApiResponse, RunningService } from '../support/running-service.js';

interface Driven {
  readonly service: () => RunningService;
  readonly account: () => Account;
}

const unusable = new WalletUnavailable('The service account cannot be used.');

/** Returns the error cases of Google Wallet. */
export function googleErrorCases({ service, account }: Driven): ErrorCase[] {
  const ask = (path: string) => service().request('GET', path);
  const bundle = (...names: string[]) =>
    ask(`/v1/pass/${account().id}/bundle/walletB?${names.map((name) => `pass=${name}`).join('&')}`);
  const call = (body: object, headers: Record<string, string> = {}) =>
    service().request('POST', '/v1/walletB/callbacks', { body, headers });
  /** Sends a request while this method of Google Wallet fails with this error. */
  const failing = async (method: 'identity' | 'readCallback', error: Error, send: () => Promise<ApiResponse>) => {
    const spy = jest.spyOn(service().app.get(GoogleWallet), method).mockRejectedValue(error);
    return send().finally(() => spy.mockRestore());
  };
  const withoutIdentity = (send: () => Promise<ApiResponse>) => () => failing('identity', unusable, send);
  const issued = async () => {
    const { body } = await account().post('/v1/pass/offer', {});
    return `offer:${body.pass.id}`;
  };
  const many = Array.from({ length: 11 }, (_, n) => `offer:${n}`);
  const link = async () => ask(`/v1/pass/${account().id}/${(await issued()).replace(':', '/')}/walletB`);
  return [
    ['getGooglePass', '404 pass_not_found', 'there is no such pass', () => ask('/v1/pass/acc_x/offer/none/walletB')],
    ['getGooglePass', '503 wallet_unavailable', 'the service account cannot be used', withoutIdentity(link)],
    ['getGoogleBundle', '400 validation_failed', 'no pass is named', () => bundle()],
    ['getGoogleBundle', '400 bundle_too_large', '11 passes are named', () => bundle(...many)],
    ['getGoogleBundle', '404 pass_not_found', 'a pass does not exist', () => bundle('offer:none')],
    ['getGoogleBundle', '410 pass_deleted', 'a pass was deleted', async () => bundle(await deletedPass(account()))],
    [
      'getGoogleBundle',
      '503 wallet_unavailable',
      'the service account cannot be used',
      withoutIdentity(async () => bundle(await issued())),
    ],
    ['receiveGoogleCallback', '400 validation_failed', 'the body is not a callback', () => call({})],
    [
      'receiveGoogleCallback',
      '401 unauthorized',
      'Google has not signed the callback',
      () => failing('readCallback', new Unauthorized('It is not signed by Google.'), () => call({})),
    ],
    [
      'receiveGoogleCallback',
      '413 payload_too_large',
      'the body is over 32 KiB',
      () => call({ signature: 'x'.repeat(2 ** 15) }),
    ],
    [
      'receiveGoogleCallback',
      '415 unsupported_media_type',
      'the encoding is not known',
      () => call({}, { 'Content-Encoding': 'zstd' }),
    ],
    [
      'receiveGoogleCallback',
      '503 wallet_unavailable',
      'the keys that verify it are unavailable',
      () => failing('readCallback', unusable, () => call({})),
    ],
    [
      'getGoogleProgress',
      '404 template_not_found',
      'there is no such template',
      () => account().get('/v1/templates/none/walletB'),
    ],
    [
      'getGoogleProgress',
      '503 wallet_unavailable',
      'the service account cannot be used',
      withoutIdentity(() => account().get('/v1/templates/offer/walletB')),
    ],
  ];
}
