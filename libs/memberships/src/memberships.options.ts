/** What `MembershipsModule.forRoot` takes. */
export abstract class MembershipsOptions {
  /** Public address of the service, for links in e-mails. */
  abstract readonly baseUrl: string;
}
