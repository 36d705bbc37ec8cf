/** The options of `ImagesModule.forRoot`. */
export abstract class ImagesOptions {
  /** The address of the app, without a slash at the end: `https://wallet.example.com`. Images below it are read from storage. */
  abstract readonly baseUrl: string;
  /**
   * Hosts (`assets.internal` or `assets.internal:8443`) with private addresses that images may be fetched from: an
   * operator's own asset server. Every other host must have public addresses only.
   */
  abstract readonly imageHostsAllowed: readonly string[];
  /** Bytes of images that an account may have in storage; 0 for any number. 5 GiB by default. */
  abstract readonly imageBytesPerAccount?: number;
}
