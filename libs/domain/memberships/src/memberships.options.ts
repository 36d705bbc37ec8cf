/** What `MembershipsModule.forRoot` takes. */
export abstract class MembershipsOptions {
  /** Public address of the service, for links in e-mails. */
  abstract readonly baseUrl: string;
  /** The language of reminders and of what passes say of the end, a BCP 47 tag. Default: `en`. */
  abstract readonly language?: string;
  /** How many reminders are sent a minute at most: what a long stop has left does not flood the mail server. Default: 1000. */
  abstract readonly remindersPerMinute?: number;
}
