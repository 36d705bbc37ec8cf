/** The options of `MailerModule.forRoot`. */
export abstract class MailerOptions {
  /** The sender: an address, or `Name <address>`. */
  abstract readonly from: string;
  /**
   * An SMTP address as `smtpServer` reads it, or a folder for `.eml` files, created if missing. `tells` (development)
   * also logs subjects and link targets.
   */
  abstract readonly transport:
    | { readonly kind: 'smtp'; readonly url: string }
    | { readonly kind: 'outbox'; readonly dir: string; readonly tells?: boolean };
}
