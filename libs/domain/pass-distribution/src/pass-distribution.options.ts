/** The options of `PassDistributionModule.forRoot`. */
export abstract class PassDistributionOptions {
  /** The public address of the service, without a trailing slash: every link begins with it. */
  abstract readonly baseUrl: string;
  /** The secret for hashes of recipients. After a change the limit of mails to one recipient begins anew. */
  abstract readonly recipientHashSecret: string;
  /** The language of mails whose request names none, as a BCP 47 tag. Default: `en`. */
  abstract readonly language?: string;
  /** The most mails a day (UTC) of all accounts of one founder; 0 for no limit. Default: 0. */
  abstract readonly mailsPerDay?: number;
}
