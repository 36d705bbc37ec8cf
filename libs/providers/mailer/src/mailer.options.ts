/** What `MailerModule.forRoot` takes. */
export abstract class MailerOptions {
  /** The sender: an address, or `Name <address>`. */
  abstract readonly from: string;
  /**
   * A mail server as `smtpServer` reads it, or a folder to write `.eml` files to, made when missing. `tells` (development):
   * what each mail is about, and where its links lead, is logged too.
   */
  abstract readonly transport:
    | { readonly kind: 'smtp'; readonly url: string }
    | { readonly kind: 'outbox'; readonly dir: string; readonly tells?: boolean };
}
