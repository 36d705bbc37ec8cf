import { Job } from '@passwright/jobs';

/*
 * The payloads name users by uid. If an e-mail is not registered, the job gets a uid that no user has, so that neither
 * the response time nor the queue reveals which e-mails are registered.
 */

/** A request for a new password: the handler sends a code to the user's mailbox. */
export class PasswordForgotten extends Job<{ readonly uid: string }> {
  static readonly task = 'password.forgotten';
  static readonly lane = 'mails';
  /** Limits retries to little more than an hour, because a later mail is of no use to the user. */
  static readonly maxAttempts = 9;

  constructor(
    payload: { readonly uid: string },
    override readonly runAt?: Date,
    override readonly key?: string,
  ) {
    super(payload);
  }
}

/** A user's password has changed: the handler notifies the user. */
export class PasswordChanged extends Job<{
  readonly uid: string;
  /** The time of the change in ISO 8601 format. */
  readonly at: string;
}> {
  static readonly task = 'password.changed';
  static readonly lane = 'mails';
}

/** A user now signs in only through an identity provider: the handler notifies the user. */
export class IdentityLinked extends Job<{
  readonly uid: string;
  /** The time of the change in ISO 8601 format. */
  readonly at: string;
}> {
  static readonly task = 'identity.linked';
  static readonly lane = 'mails';
}

/** A user wants a new e-mail: the handler sends a code to the new address. */
export class EmailChangeAsked extends Job<{ readonly uid: string }> {
  static readonly task = 'email.change-asked';
  static readonly lane = 'mails';
  /** Retries go on for about a day, as long as the code is valid. */
  static readonly maxAttempts = 13;
}

/** A user's e-mail has changed: the handler notifies the former address. */
export class EmailChanged extends Job<{
  readonly uid: string;
  /** Encrypted by `EncryptedEmails`. */
  readonly formerEmail: string;
  /** The time of the change in ISO 8601 format. */
  readonly at: string;
}> {
  static readonly task = 'email.changed';
  static readonly lane = 'mails';
}
