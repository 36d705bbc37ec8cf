/** An e-mail to one person. */
export interface Mail {
  /** One address, nothing else. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends e-mail. */
export abstract class Mailer {
  /** Resolves once the mail server has taken it. @throws when it did not: the job that sends it is run again */
  abstract send(mail: Mail): Promise<void>;
}
