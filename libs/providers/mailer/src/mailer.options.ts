/** The options of `MailerModule.forRoot`. */
export abstract class MailerOptions {
  /** The sender: an address, or `Name <address>`. */
  abstract readonly from: string;
  /**
   * An SMTP address in the form that `smtpServer` reads, or a folder for `.eml` files, created if missing. If `tells`
   * is true, the mailer logs the subjects and links of mails, for development.
   */
  abstract readonly transport:
    | { readonly kind: 'smtp'; readonly url: string }
    | { readonly kind: 'outbox'; readonly dir: string; readonly tells?: boolean };
}
