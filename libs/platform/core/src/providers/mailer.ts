/** An e-mail to one person. */
export interface Mail {
  /** A unique id of visible ASCII, at most 200 characters. Mail programs treat mails with the same id as one. */
  readonly id?: string;
  /** Exactly one address. */
  readonly to: string;
  /** The address for replies, in the form of `to`. Defaults to the sender. */
  readonly replyTo?: string;
  /** One line, at most 255 characters. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * The mail will never be accepted, because it breaks a rule or the server rejects its recipient or content for good.
 * The message explains why to the user who requested the mail, without its texts and addresses.
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
   * Sends a mail. Resolves once the mail server has accepted it.
   * @throws MailRefused when retrying is useless. Throws anything else when the mail was not accepted this time; the
   * job then retries
   */
  abstract send(mail: Mail): Promise<void>;
}
