import type { PassAddress } from './pass-address.js';

/** The public links of a pass. */
export interface PassLinks {
  /** The signed Apple Wallet package. */
  readonly walletAUrl: string;
  /** The Google Wallet save link. */
  readonly walletBUrl: string;
  /** The web view. */
  readonly webUrl: string;
}

/** Returns the links of a pass. @param baseUrl without a trailing slash */
export function passLinks(baseUrl: string, { accountId, templateId, passId }: PassAddress): PassLinks {
  const path = [accountId, templateId, passId].map(encodeURIComponent).join('/');
  return {
    walletAUrl: `${baseUrl}/v1/pass/${path}/walletA`,
    walletBUrl: `${baseUrl}/v1/pass/${path}/walletB`,
    webUrl: `${baseUrl}/p/${path}`,
  };
}
