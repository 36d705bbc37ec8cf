/** Options of `ImagesModule.forRoot`. */
export abstract class ImagesOptions {
  /**
   * The address of the app, without a trailing slash: `https://wallet.example.com`. Images whose address begins with it
   * are read from storage.
   */
  abstract readonly baseUrl: string;
  /**
   * Hosts (`assets.internal` or `assets.internal:8443`) with private addresses from which images may be fetched, such
   * as the operator's own asset server. All other hosts must have public addresses only.
   */
  abstract readonly imageHostsAllowed: readonly string[];
  /** Maximum number of bytes of images per account; 0 for no limit. Default: 5 GiB. */
  abstract readonly imageBytesPerAccount?: number;
}
