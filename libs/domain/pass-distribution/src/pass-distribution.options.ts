/** Options of `PassDistributionModule.forRoot`. */
export abstract class PassDistributionOptions {
  /** The public address of the service, without a trailing slash. All links start with it. */
  abstract readonly baseUrl: string;
  /** The secret for hashes of recipients. A new secret resets the limit of mails per recipient. */
  abstract readonly recipientHashSecret: string;
  /** The language of mails if the request does not name one, as a BCP 47 tag. Default: `en`. */
  abstract readonly language?: string;
  /** Maximum number of mails per day (UTC) for all accounts of one founder; 0 for no limit. Default: 0. */
  abstract readonly mailsPerDay?: number;
}
