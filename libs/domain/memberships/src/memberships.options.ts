/** Options of `MembershipsModule.forRoot`. */
export abstract class MembershipsOptions {
  /** The public address of the service, for links in e-mails. */
  abstract readonly baseUrl: string;
  /** The language of reminders and notices on passes that name no language, a BCP 47 tag. Default: `en`. */
  abstract readonly language?: string;
  /**
   * The maximum number of reminders per minute, so that a backlog after a long stop does not flood the mail server.
   * Default: 1000.
   */
  abstract readonly remindersPerMinute?: number;
}
