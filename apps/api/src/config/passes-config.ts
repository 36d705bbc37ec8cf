import type { AppleWalletOptions } from '@passwright/apple-wallet';
import type { GoogleWalletOptions } from '@passwright/google-wallet';
import type { PassDistributionOptions, PassPagesOptions } from '@passwright/pass-distribution';
import type { PassesOptions } from '@passwright/passes';
import type { Values } from './variables/variables.js';
import { walletBadges } from './wallet-badges.js';
import { shareOf } from './worker-count.js';

/** The configuration of the packages that issue passes and deliver them to their holders. */
export interface PassesConfig {
  readonly passes: PassesOptions;
  readonly appleWallet: AppleWalletOptions;
  readonly googleWallet: GoogleWalletOptions;
  readonly passPages: PassPagesOptions;
  readonly passDistribution: PassDistributionOptions;
}

interface Given {
  readonly baseUrl: string;
  readonly secret: string;
  readonly pushesDevelopmentPasses: boolean;
  /** The number of processes that share the limits of the node. */
  readonly workers: number;
}

export function passesConfig(values: Values, given: Given): PassesConfig {
  const { baseUrl, secret, pushesDevelopmentPasses, workers } = given;
  return {
    passes: { baseUrl },
    appleWallet: {
      ...appleWalletOptions(values, workers),
      ...{ baseUrl, passTokenSecret: secret, pushesDevelopmentPasses },
      language: values.CONTENT_LANGUAGE,
    },
    googleWallet: { baseUrl, language: values.CONTENT_LANGUAGE },
    passPages: {
      baseUrl,
      language: values.CONTENT_LANGUAGE,
      ...(values.WALLET_BADGES !== undefined && { badges: walletBadges(values.WALLET_BADGES).badges }),
    },
    passDistribution: {
      baseUrl,
      recipientHashSecret: secret,
      language: values.CONTENT_LANGUAGE,
      mailsPerDay: values.MAILS_PER_DAY,
    },
  };
}

function appleWalletOptions(values: Values, workers: number): Omit<AppleWalletOptions, 'baseUrl' | 'passTokenSecret'> {
  const { APPLE_PUSH_WINDOW_SECONDS, APPLE_PUSH_PER_HOUR, APPLE_PUSH_BURST } = values;
  return {
    packageCacheBytes: shareOf(values.PACKAGE_CACHE_MIB * 2 ** 20, workers),
    push: { windowSeconds: APPLE_PUSH_WINDOW_SECONDS, perHour: APPLE_PUSH_PER_HOUR, burst: APPLE_PUSH_BURST },
    restoredPushesPerSecond: values.APPLE_PUSH_RESTORED_PER_SECOND,
    requestsPerPass: shareOf(Math.min(300, values.RATE_LIMIT_PER_MINUTE), workers),
    devicesPerPass: values.DEVICES_PER_PASS,
  };
}
