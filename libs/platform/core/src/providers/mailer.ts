/** An e-mail to one person. */
export interface Mail {
  /** A unique id of visible ASCII, at most 200 characters. Mail programs treat mails with the same id as one. */
  readonly id?: string;
  /** Exactly one address. */
  readonly to: string;
  /**
   * The name that mail programs show as the sender, followed by the name of the service: "Harbour Hall via Passwright".
   * The address is always that of the service. Default: the name of the service alone.
   */
  readonly fromName?: string;
  /** The address for replies: exactly one. Default: the sender. */
  readonly replyTo?: string;
  /** One line, at most 255 characters. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * A retry cannot deliver the mail: it breaks a rule, or the server rejects its recipient or content permanently. The
 * message explains the reason to the user who requested the mail, without the mail's texts and addresses.
 */
export class MailRejected extends Error {
  /** @param reason a clause that explains why */
  constructor(reason: string) {
    super(`The mail is rejected: ${reason}`);
    this.name = 'MailRefused';
  }
}

/** Sends e-mail. */
export abstract class Mailer {
  /**
   * Sends a mail. Resolves once the mail server has accepted it.
   * @throws MailRejected when a retry is useless. Any other error is temporary, so the job tries again.
   */
  abstract send(mail: Mail): Promise<void>;
}
