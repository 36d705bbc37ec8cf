import type { Mail } from '@passwright/core';
import { renderEmail } from '../mails/email-template.js';

type RenderedEmail = Pick<Mail, 'subject' | 'text' | 'html'>;

/** The base address of links in mails. */
export interface MailPlace {
  /** Public address of the service. */
  readonly baseUrl: string;
}

/** Builds the mail with the link for choosing a new password. A stranger may have requested it. */
export function forgottenPasswordMail({ baseUrl }: MailPlace, code: string): RenderedEmail {
  return renderEmail({
    subject: 'Choose a new password',
    heading: 'Choose a new password',
    paragraphs: [`A new password was requested for your user at ${hostOf(baseUrl)}, hopefully by you.`],
    button: { label: 'Choose a new password', url: `${baseUrl}/password/reset?code=${code}` },
    footnotes: [
      'The link works once, within an hour, and only the latest one does.',
      'If you did not request it, you need not do anything: your password stays as it is.',
    ],
  });
}

/** Builds the mail that notifies a user of a changed password. */
export function changedPasswordMail({ baseUrl }: MailPlace, at: Date): RenderedEmail {
  const host = hostOf(baseUrl);
  return renderEmail({
    subject: 'Your password was changed',
    heading: 'Your password was changed',
    paragraphs: [
      `The password of your user at ${host} was changed, and devices that were signed in with the former one are signed out.`,
      'If that was not you, set a new password at once: ask for it where you sign in, with this e-mail address. Then look through your sessions, and tell the admins of your accounts.',
    ],
    facts: [['When', timeOf(at)]],
    footnotes: [`You get this e-mail because you are a user of ${host}.`],
  });
}

/** Builds the mail that notifies a user of a newly linked identity. */
export function linkedIdentityMail({ baseUrl }: MailPlace, at: Date): RenderedEmail {
  const host = hostOf(baseUrl);
  return renderEmail({
    subject: 'You sign in with your identity provider now',
    heading: 'You sign in with your identity provider now',
    paragraphs: [
      `A person signed in as your user at ${host}, and their identity provider confirms that this e-mail address is theirs. The former password of the user no longer works, and all devices are signed out.`,
      'If that was not you, set a new password at once: ask for it where you sign in, with this e-mail address. That ends the link too. Then tell the admins of your accounts.',
    ],
    facts: [['When', timeOf(at)]],
    footnotes: [`You get this e-mail because you are a user of ${host}.`],
  });
}

/** Builds the mail that asks a user to confirm a new e-mail address. */
export function confirmEmailMail({ baseUrl }: MailPlace, code: string): RenderedEmail {
  const host = hostOf(baseUrl);
  return renderEmail({
    subject: 'Confirm your new e-mail address',
    heading: 'Confirm your new e-mail address',
    paragraphs: [
      `A user of ${host} wants to sign in with this e-mail address from now on. If that is you, confirm that it is yours.`,
    ],
    button: { label: 'Confirm this address', url: `${baseUrl}/email/confirm?code=${code}` },
    footnotes: [
      'The link works once, within a day, and only the latest one does.',
      'If this is not you, you need not do anything: without your confirmation nothing changes.',
    ],
  });
}

/** Builds the mail to a requested e-mail address that already belongs to another user. */
export function emailTakenMail({ baseUrl }: MailPlace): RenderedEmail {
  const host = hostOf(baseUrl);
  return renderEmail({
    subject: 'This e-mail address is in use already',
    heading: 'This e-mail address is in use already',
    paragraphs: [
      `A user of ${host} wants to sign in with this e-mail address from now on. Another user has this address already, so nothing was changed.`,
      'If both are you, sign in with this address, or give the other user another one.',
    ],
    footnotes: ['If this is not you, you need not do anything.'],
  });
}

/** Builds the mail that notifies a user's former e-mail address of a changed e-mail. */
export function changedEmailMail({ baseUrl }: MailPlace, at: Date): RenderedEmail {
  const host = hostOf(baseUrl);
  return renderEmail({
    subject: 'Your e-mail address was changed',
    heading: 'Your e-mail address was changed',
    paragraphs: [
      `Your user at ${host} signs in with another e-mail address from now on. This one is no longer connected with it.`,
      'If that was not you, another person has your password: tell the admins of your accounts at once.',
    ],
    facts: [['When', timeOf(at)]],
    footnotes: [`You get this e-mail because you were a user of ${host} with this address.`],
  });
}

function hostOf(baseUrl: string): string {
  return new URL(baseUrl).host;
}

/** Formats a time as `1 March 2027 at 12:00 UTC`. */
function timeOf(date: Date): string {
  return `${date.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
}
