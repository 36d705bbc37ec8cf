import type { ResponseOf } from '@passwright/client';

/** The texts that wallets show to pass holders after a change of a template. */
export type Notifications = NonNullable<ResponseOf<'upsertTemplate'>['notifications']>;
type Silence = Notifications['silent'][number]['reason'];

const why: Record<Silence, string> = {
  silent_field: 'its changeMessage is empty',
  new_field: 'it is new',
  removed_field: 'its value is gone',
  pass_state: 'the passes are not valid',
  not_installed: 'no holder has a pass in this wallet',
  announced_by_google: 'Google shows its own text',
  quiet_hours: 'the account has quiet hours',
};
const names = { walletA: 'Apple Wallet', walletB: 'Google Wallet' } as const;

/**
 * Returns a line for each text that wallets announce, and a line with the reason for each changed field that they do
 * not announce.
 */
export function notificationLines({ walletA, walletB, silent }: Notifications): string[] {
  const unheard = walletA.filter(({ shown }) => shown === 'nowhere');
  return [
    ...walletA.flatMap(({ message, shown }) =>
      shown === 'notification' ? `${names.walletA} announces: ${message}` : [],
    ),
    ...walletB.map(({ message, notifiesAt }) => {
      return `${names.walletB} announces${notifiesAt ? ` at ${notifiesAt}, after quiet hours` : ''}: ${message}`;
    }),
    ...unheard.map(({ key }) => `${names.walletA} does not announce ${key}: ${why.not_installed}`),
    ...silent.map(({ key, wallets, reason }) => {
      const subject = wallets.map((wallet) => names[wallet]).join(' and ');
      return `${subject} ${wallets.length > 1 ? 'do' : 'does'} not announce ${key}: ${why[reason] ?? reason}`;
    }),
  ];
}
