/** Options of `MessagesModule.forRoot`: `{}`. */
export abstract class MessagesOptions {
  /** Set to false to omit the routes of messages. */
  abstract readonly routes?: boolean;
}
