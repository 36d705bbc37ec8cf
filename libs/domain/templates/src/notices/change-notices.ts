import {
  type ChangeNotice,
  type FrontChange,
  noticesOf,
  type Shown,
  silentChangesOf,
  type SilentReason,
} from '@passwright/wallet-renderers';

/**
 * A line of text about a change. `shown` says where pass holders see it, and `reason` says why:
 * - `notification`: in a notification and on the pass, immediately or after quiet hours (`quiet_hours`)
 * - `pass`: only on the pass, because the pass has reached the daily limit of notifications (`daily_limit`)
 * - `nowhere`: not at all. `undone`: the change undoes an earlier change that holders have not seen. `not_installed`:
 *   no device has the pass. `announced_by_google`: Google announces the change in its own words. `quiet_hours`: Google
 *   would announce it, but not during quiet hours
 */
export interface SentNotice extends ChangeNotice {
  readonly wallet: 'apple' | 'google';
  readonly shown: 'notification' | 'pass' | 'nowhere';
  /** Null for an immediate notification. */
  readonly reason: 'quiet_hours' | 'daily_limit' | 'undone' | 'not_installed' | 'announced_by_google' | null;
  /** The ISO 8601 time at which quiet hours end and holders are notified; null for all other lines. */
  readonly notifiesAt: string | null;
}

/** A line of text that Apple Wallet shows to pass holders. */
export interface AppleNotice extends ChangeNotice {
  readonly shown: 'notification' | 'nowhere';
  readonly reason: 'not_installed' | null;
}

/** A line of text that Google Wallet shows to pass holders. */
export interface GoogleNotice extends ChangeNotice, Pick<SentNotice, 'shown' | 'notifiesAt'> {
  readonly reason: 'quiet_hours' | 'daily_limit' | 'undone' | null;
}

/** Reasons why a wallet does not announce a changed front field. */
export const walletReasons = ['not_installed', 'announced_by_google', 'quiet_hours'] as const;

/** A changed front field that some wallets do not announce. */
export interface SilentNotice {
  readonly key: string;
  readonly wallets: readonly ('apple' | 'google')[];
  readonly reason: SilentReason | (typeof walletReasons)[number];
}

/** The lines of text that each wallet shows about a change, and the changed fields without a line. */
export interface ChangeNotices {
  readonly apple: readonly AppleNotice[];
  readonly google: readonly GoogleNotice[];
  readonly silent: readonly SilentNotice[];
}

/** The notices of a change that does not change the front of passes. */
export const noNotices: ChangeNotices = { apple: [], google: [], silent: [] };

const bothWallets = ['apple', 'google'] as const;

/** @param sent the lines of each wallet. If a wallet has no lines, no device has the pass in that wallet. */
export function changeNotices(
  changes: readonly FrontChange[],
  after: Shown,
  sent: readonly SentNotice[],
  now: Date,
): ChangeNotices {
  const lines = noticesOf(changes);
  const onPhone = new Set(
    sent.flatMap(({ wallet, shown, key }) => (wallet === 'apple' && shown !== 'nowhere' ? [key] : [])),
  );
  const atGoogle = sent.filter(({ wallet }) => wallet === 'google');
  const translations = new Map(lines.map((line) => [line.key, line.translations]));
  const silentAtGoogle =
    atGoogle.length === 0
      ? lines.map(({ key }) => ({ key, reason: 'not_installed' }) as const)
      : atGoogle.flatMap(({ key, ...notice }) => ({ key, reason: silentReasonOf(notice) }));
  return {
    apple: lines.map((line) => appleNotice(line, onPhone.has(line.key))),
    google: atGoogle.flatMap((notice): GoogleNotice[] => {
      const { wallet: _wallet, reason, ...line } = notice;
      if (reason === 'not_installed' || reason === 'announced_by_google' || silentReasonOf(notice)) return [];
      const others = translations.get(line.key);
      return [{ ...line, reason, ...(others && { translations: others }) }];
    }),
    silent: [
      ...silentChangesOf(changes, after, now).map(({ key, reason }) => ({ key, reason, wallets: bothWallets })),
      ...silentAtGoogle.flatMap(({ key, reason }): SilentNotice[] => {
        return reason === null ? [] : [{ key, wallets: ['google'], reason }];
      }),
    ],
  };
}

/**
 * Returns the reason why Google shows no message about a change; null if Google shows a message or withdraws an earlier
 * one.
 */
function silentReasonOf({ shown, reason }: Pick<SentNotice, 'shown' | 'reason'>): SilentNotice['reason'] | null {
  if (reason === 'not_installed' || reason === 'announced_by_google') return reason;
  return shown === 'nowhere' && reason === 'quiet_hours' ? reason : null;
}

function appleNotice(line: ChangeNotice, isOnPhone: boolean): AppleNotice {
  return isOnPhone
    ? { ...line, shown: 'notification', reason: null }
    : { ...line, shown: 'nowhere', reason: 'not_installed' };
}
