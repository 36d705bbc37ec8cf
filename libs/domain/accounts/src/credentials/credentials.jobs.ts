import { Job } from '@passwright/jobs';

/*
 * Their payloads name users by uid. Where somebody asks for an e-mail that is nobody's, the job is about a uid that is
 * nobody's, so that neither the time of the answer nor the queue tells.
 */

/** Somebody wants to set a new password: whoever reads the user's mails is to be given a code. */
export class PasswordForgotten extends Job<{ readonly uid: string }> {
  static readonly task = 'password.forgotten';
  static readonly lane = 'mails';
  /** Over an hour: after that the code is of no use to who asked for it. */
  static readonly maxAttempts = 9;

  constructor(
    payload: { readonly uid: string },
    override readonly runAt?: Date,
    override readonly key?: string,
  ) {
    super(payload);
  }
}

/** A user's password is another one: the user is to be told. */
export class PasswordChanged extends Job<{
  readonly uid: string;
  /** When, ISO 8601. */
  readonly at: string;
}> {
  static readonly task = 'password.changed';
  static readonly lane = 'mails';
}

/** A user signs in with an identity provider from now on, and with nothing else: the user is to be told. */
export class IdentityLinked extends Job<{
  readonly uid: string;
  /** When, ISO 8601. */
  readonly at: string;
}> {
  static readonly task = 'identity.linked';
  static readonly lane = 'mails';
}

/** A user wants another e-mail: the new one is to be confirmed. */
export class EmailChangeAsked extends Job<{ readonly uid: string }> {
  static readonly task = 'email.change-asked';
  static readonly lane = 'mails';
  /** About a day, as long as the code is good. */
  static readonly maxAttempts = 13;
}

/** A user's e-mail is another one: the former one is to be told. */
export class EmailChanged extends Job<{
  readonly uid: string;
  /** Sealed by `SealedEmails`. */
  readonly formerEmail: string;
  /** When, ISO 8601. */
  readonly at: string;
}> {
  static readonly task = 'email.changed';
  static readonly lane = 'mails';
}
