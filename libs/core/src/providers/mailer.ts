/** An e-mail to one person. */
export interface Mail {
  /** Names the mail among all: repeated, it is the same one to mail programs. Visible ASCII, at most 200 characters. */
  readonly id?: string;
  /** One address, nothing else. */
  readonly to: string;
  /** One line, at most 255 characters. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends e-mail. */
export abstract class Mailer {
  /** Resolves once the mail server has taken it. @throws when it did not: the job that sends it is run again */
  abstract send(mail: Mail): Promise<void>;
}
