/** The mail is not one to send, however often it is tried. Says why, without its texts and addresses. */
export class MailRefused extends Error {
  constructor(reason: string) {
    super(`The mail is refused: ${reason}`);
    this.name = 'MailRefused';
  }
}

/** The mail server did not take the mail. Its answer is told without the addresses in it. */
export class MailNotTaken extends Error {
  constructor(reason: string) {
    super(`The mail server has not taken the mail: ${reason.replace(/\S+@\S+/g, '…').slice(0, 300)}`);
    this.name = 'MailNotTaken';
  }
}
