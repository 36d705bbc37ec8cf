import {
  type ChangeNotice,
  type FrontChange,
  noticesOf,
  type Shown,
  silentChangesOf,
  type SilentReason,
} from '@passwright/wallet-renderers';
import type { SentNotice } from '../listeners/pass.listener.js';

/** A line for holders at Apple. */
export interface AppleNotice extends ChangeNotice {
  readonly shown: 'notification' | 'nowhere';
  readonly reason: 'not_installed' | null;
}

/** A line for holders at Google. */
export interface GoogleNotice extends ChangeNotice, Pick<SentNotice, 'shown' | 'notifiesAt'> {
  readonly reason: Exclude<SentNotice['reason'], 'not_installed'>;
}

/** A changed front field that some wallets do not announce. */
export interface SilentNotice {
  readonly key: string;
  readonly wallets: readonly ('walletA' | 'walletB')[];
  readonly reason: SilentReason | 'not_installed';
}

/** The lines that each wallet shows about a change, and the changed fields without a line. */
export interface ChangeNotices {
  readonly walletA: readonly AppleNotice[];
  readonly walletB: readonly GoogleNotice[];
  readonly silent: readonly SilentNotice[];
}

/** The notices of a change that no holder sees on the front. */
export const noNotices: ChangeNotices = { walletA: [], walletB: [], silent: [] };

const bothWallets = ['walletA', 'walletB'] as const;

/** @param sent the lines that the wallets have reported. Without any, no device has the pass in that wallet. */
export function changeNotices(
  changes: readonly FrontChange[],
  after: Shown,
  sent: readonly SentNotice[],
  now: Date,
): ChangeNotices {
  const lines = noticesOf(changes);
  const isAtGoogle = sent.some(({ wallet }) => wallet === 'google');
  const onPhone = new Set(
    sent.flatMap(({ wallet, shown, key }) => (wallet === 'apple' && shown !== 'nowhere' ? [key] : [])),
  );
  const translations = new Map(lines.map((line) => [line.key, line.translations]));
  const walletB = sent.flatMap(({ wallet, reason, ...line }): GoogleNotice[] => {
    if (wallet !== 'google' || reason === 'not_installed') return [];
    const others = translations.get(line.key);
    return [{ ...line, reason, ...(others && { translations: others }) }];
  });
  return {
    walletA: lines.map((line) => appleNotice(line, onPhone.has(line.key))),
    walletB,
    silent: [
      ...silentChangesOf(changes, after, now).map((change) => ({ ...change, wallets: bothWallets })),
      ...(isAtGoogle ? [] : lines.map(({ key }) => ({ key, wallets: ['walletB'], reason: 'not_installed' }) as const)),
    ],
  };
}

function appleNotice(line: ChangeNotice, isOnPhone: boolean): AppleNotice {
  return isOnPhone
    ? { ...line, shown: 'notification', reason: null }
    : { ...line, shown: 'nowhere', reason: 'not_installed' };
}
