import type { PushPacing } from './push/push-pacing.js';

/** Options of `AppleWalletModule.forRoot`. */
export abstract class AppleWalletOptions {
  /** The public address of the service, without a trailing slash. Phones request updates from it. */
  abstract readonly baseUrl: string;
  /**
   * The secret from which each pass's Apple authentication token is derived. Never change it: the service would reject
   * all phones that already hold a pass.
   */
  abstract readonly passTokenSecret: string;
  /**
   * Memory limit for the prepared images of templates, in bytes; at least 1. The least recently used images are dropped
   * first.
   */
  abstract readonly packageCacheBytes: number;
  /** Limits on pushes per device. Default: the rate that iOS tolerates, `defaultPacing`. */
  abstract readonly push?: PushPacing;
  /** Maximum number of pushes per second, across all nodes, after a restore of the database. Default: 200. */
  abstract readonly restoredPushesPerSecond?: number;
  /**
   * True if the push service accepts pushes for passes signed with a development certificate, which Apple's push
   * service rejects. Default: false.
   */
  abstract readonly pushesDevelopmentPasses?: boolean;
  /**
   * Maximum number of requests per minute from phones for one pass, on each node; 0 for no limit. The limit for
   * registrations is a fifth of it. Default: 300.
   */
  abstract readonly requestsPerPass?: number;
  /**
   * Maximum number of devices that get updates of one pass. The service removes the device that was silent longest.
   * Default: 100.
   */
  abstract readonly devicesPerPass?: number;
  /** The language of templates that do not name one, as a BCP 47 tag. Default: `en`. */
  abstract readonly language?: string;
}
