/** Options of `MessagesModule.forRoot`. All are optional. */
export abstract class MessagesOptions {
  /** Set to false to omit the routes of messages. */
  abstract readonly routes?: boolean;
}
