import type { Mail } from '@passwright/core';
import { renderEmail } from '../mails/email-template.js';
import type { InviteWithNames } from './invites.repository.js';

const longestName = 80;
/** An invisible character. */
const wordJoiner = '\u2060';

/** Builds the e-mail that invites a person to an account. @param url the page that accepts the invitation */
export function inviteMail(invite: InviteWithNames, url: string): Pick<Mail, 'fromName' | 'subject' | 'text' | 'html'> {
  const { isAdmin, expiresAt } = invite;
  const account = shortName(invite.accountName);
  const inviter = invite.inviterName === null ? null : shortName(invite.inviterName);
  const role = isAdmin ? 'an admin' : 'a user';
  const end = expiresAt.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const mail = renderEmail({
    subject: `Invitation to ${account}`,
    heading: `You are invited to ${account}`,
    paragraphs: [
      `${inviter === null ? 'You are invited' : `${inviter} has invited you`} to the account ${account} on Passwright, ` +
        `which issues passes for Apple Wallet and Google Wallet. You will join as ${role}.`,
      `The invitation is for this address alone, works once, and ends on ${end} UTC.`,
    ],
    button: { label: 'Accept the invitation', url },
    footnotes: ['If you were not expecting this, ignore it: nothing happens unless you accept.'],
  });
  return { fromName: account, ...mail };
}

/**
 * Shortens a name, because strangers choose names: a long one could carry a message, and mail programs turn URLs in it
 * into links.
 */
function shortName(name: string): string {
  const characters = [...name];
  const short = characters.length <= longestName ? name : `${characters.slice(0, longestName - 1).join('')}…`;
  return short.replace(/[.:/@](?=\S)/g, `$&${wordJoiner}`);
}
