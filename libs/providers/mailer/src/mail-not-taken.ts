const MAX_RESPONSE = 300;

/**
 * The mail server did not accept the mail in this attempt. The message contains the server's response without
 * addresses.
 */
export class MailNotTaken extends Error {
  constructor(reason: string) {
    super(`The mail server has not taken the mail: ${withoutAddresses(reason)}`);
    this.name = 'MailNotTaken';
  }
}

/** Returns a mail server's response as one line of at most 300 characters, without addresses. */
export function withoutAddresses(response: string): string {
  return response
    .replace(/(?<![^\s@])[^\s@]+@\S+/g, '…')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, MAX_RESPONSE);
}
