const MAX_ANSWER = 300;

/** The mail server did not take the mail this time. Its answer is told without the addresses in it. */
export class MailNotTaken extends Error {
  constructor(reason: string) {
    super(`The mail server has not taken the mail: ${withoutAddresses(reason)}`);
    this.name = 'MailNotTaken';
  }
}

/** What a mail server says, without the addresses in it, at most 300 characters in one line. */
export function withoutAddresses(answer: string): string {
  return answer
    .replace(/(?<![^\s@])[^\s@]+@\S+/g, '…')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, MAX_ANSWER);
}
