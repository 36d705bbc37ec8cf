import { Job } from '@passwright/jobs';

/*
 * The payloads name users by uid. For an unregistered e-mail, the service adds a job with a uid that no user has, so
 * that neither the response time nor the queue reveals which e-mails are registered.
 */

/** Sends a user the code for setting a new password. */
export class PasswordForgotten extends Job<{ readonly uid: string }> {
  static readonly task = 'password.forgotten';
  static readonly lane = 'mails';
  static readonly isUrgent = true;
  /** Limits retries to a little more than an hour. A later mail does not help the user. */
  static readonly maxAttempts = 9;

  constructor(
    payload: { readonly uid: string },
    override readonly runAt?: Date,
    override readonly key?: string,
  ) {
    super(payload);
  }
}

/** Notifies a user whose password has changed. */
export class PasswordChanged extends Job<{
  readonly uid: string;
  /** The time of the change in ISO 8601 format. */
  readonly at: string;
}> {
  static readonly task = 'password.changed';
  static readonly lane = 'mails';
  static readonly isUrgent = true;
}

/** Notifies a user who can now sign in only through an identity provider. */
export class IdentityLinked extends Job<{
  readonly uid: string;
  /** The time of the change in ISO 8601 format. */
  readonly at: string;
}> {
  static readonly task = 'identity.linked';
  static readonly lane = 'mails';
  static readonly isUrgent = true;
}

/** Sends a code to the new e-mail address that a user has requested. */
export class EmailChangeAsked extends Job<{ readonly uid: string }> {
  static readonly task = 'email.change-asked';
  static readonly lane = 'mails';
  static readonly isUrgent = true;
  /** Limits retries to about a day, the validity of the code. */
  static readonly maxAttempts = 13;
}

/** Notifies the former e-mail address of a user who has changed it. */
export class EmailChanged extends Job<{
  readonly uid: string;
  /** The former e-mail, encrypted by `EncryptedEmails`. */
  readonly formerEmail: string;
  /** The time of the change in ISO 8601 format. */
  readonly at: string;
}> {
  static readonly task = 'email.changed';
  static readonly lane = 'mails';
  static readonly isUrgent = true;
}
