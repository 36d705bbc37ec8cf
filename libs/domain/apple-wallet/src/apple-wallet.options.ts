import type { PushPacing } from './push/push-pacing.js';

/** The options of `AppleWalletModule.forRoot`. */
export abstract class AppleWalletOptions {
  /** The public address of the service, without a trailing slash: phones ask for updates there. */
  abstract readonly baseUrl: string;
  /**
   * The secret that each pass's Apple authentication token is derived from. Never change it: phones that hold a pass
   * would no longer be let in for its updates.
   */
  abstract readonly passTokenSecret: string;
  /** How much memory the prepared images of templates may take, at least 1; the least recently used go first. */
  abstract readonly packageCacheBytes: number;
  /** How often a device may be pushed. Default: what iOS bears, `defaultPacing`. */
  abstract readonly push?: PushPacing;
  /** Pushes a second to all devices after a restore of the database, over all nodes. Default: 200. */
  abstract readonly restoredPushesPerSecond?: number;
  /** Whether the push service takes pushes for passes that a development certificate signed, which Apple's does not. Default: no. */
  abstract readonly pushesDevelopmentPasses?: boolean;
  /**
   * The most requests of phones for one pass in a minute, on each node; 0 for no limit. Registrations have a fifth of that
   * beside it. Default: 300.
   */
  abstract readonly requestsPerPass?: number;
  /** The most devices of one pass that get updates; the device that was silent longest is removed first. Default: 100. */
  abstract readonly devicesPerPass?: number;
}
