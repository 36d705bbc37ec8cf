/** An e-mail to one person. */
export interface Mail {
  /** Names the mail among all: repeated, it is the same one to mail programs. Visible ASCII, at most 200 characters. */
  readonly id?: string;
  /** One address, nothing else. */
  readonly to: string;
  /** Where an answer goes, an address as `to`; to the sender unless given. */
  readonly replyTo?: string;
  /** One line, at most 255 characters. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * This mail will not be taken, however often it is tried: it breaks a rule, or the server refuses its recipient or what
 * it says for good. Says why in words for whoever asked for it, without its texts and addresses.
 */
export class MailRefused extends Error {
  /** @param reason a clause */
  constructor(reason: string) {
    super(`The mail is refused: ${reason}`);
    this.name = 'MailRefused';
  }
}

/** Sends e-mail. */
export abstract class Mailer {
  /**
   * Resolves once the mail server has taken it.
   * @throws MailRefused when it is of no use to try it again; anything else when it was not taken this time: the job that
   * sends it is run again
   */
  abstract send(mail: Mail): Promise<void>;
}
