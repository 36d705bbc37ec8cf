import type { PassAddress } from './pass-address.js';

/** The public links of a pass. */
export interface PassLinks {
  /** The address of the signed Apple Wallet package. */
  readonly walletAUrl: string;
  /** The address of the Google Wallet save link. */
  readonly walletBUrl: string;
  /** The address of the web view. */
  readonly webUrl: string;
}

/** Returns the links of a pass. @param baseUrl the public address of the service, without a trailing slash */
export function passLinks(baseUrl: string, { accountId, templateId, passId }: PassAddress): PassLinks {
  const path = [accountId, templateId, passId].map(encodeURIComponent).join('/');
  return {
    walletAUrl: `${baseUrl}/v1/pass/${path}/walletA`,
    walletBUrl: `${baseUrl}/v1/pass/${path}/walletB`,
    webUrl: `${baseUrl}/p/${path}`,
  };
}
