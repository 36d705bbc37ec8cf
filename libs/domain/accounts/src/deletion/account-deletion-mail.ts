import type { Mail } from '@passwright/core';
import { renderEmail } from '../mails/email-template.js';

/** Builds the mail to an admin whose account will be deleted. It explains how to cancel the deletion. */
export function accountDeletionMail(
  accountName: string,
  deletesAt: Date,
  baseUrl: string,
): Pick<Mail, 'subject' | 'text' | 'html'> {
  const when = deletesAt.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return renderEmail({
    subject: `The account ${accountName} will be deleted`,
    heading: `The account ${accountName} will be deleted`,
    paragraphs: [
      `The account will be deleted on ${when} UTC, because an admin or the operator of ${new URL(baseUrl).host} asked ` +
        'for it. Its passes on phones then become void and empty, and all its data is erased. This cannot be undone.',
      'Until then API keys do not work and nothing can be changed.',
      {
        points: [
          'To keep a copy, download it with GET /v1/account/export.',
          'To keep the account, sign in as an admin and call DELETE /v1/account/deletion.',
        ],
      },
    ],
    footnotes: ['You get this e-mail because you are an admin of the account.'],
  });
}
