/** What `MailerModule.forRoot` takes. */
export abstract class MailerOptions {
  /** The sender, `Name <address>` or an address. */
  abstract readonly from: string;
  /** SMTP server as a URL (`smtps://user:password@host:465`), or a folder to write `.eml` files to. */
  abstract readonly transport:
    { readonly kind: 'smtp'; readonly url: string } | { readonly kind: 'outbox'; readonly dir: string };
}
