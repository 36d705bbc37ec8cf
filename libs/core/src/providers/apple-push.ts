/**
 * How a push ended.
 * - `accepted`: taken for delivery, which is no proof of arrival
 * - `gone`: the device no longer takes pushes under this token, since `goneSince`
 * - `bad_token`: the token is malformed or of another environment; one such answer may be a mistake, two are not
 * - `retry`: a passing fault, of the network, the push service or one device; not before `retryAfterSeconds` when set
 * - `refused`: at fault is this device's token, or what every push has in common; other devices tell which
 * - `halted`: certificate or configuration are at fault, every other push would end the same way
 * - `off`: nothing was sent, as the credential is a development one, which the push service does not know
 */
export type PushOutcome = 'accepted' | 'gone' | 'bad_token' | 'retry' | 'refused' | 'halted' | 'off';

export interface PushAnswer {
  readonly outcome: PushOutcome;
  /** The `apns-id`; null when nothing was sent. */
  readonly pushId: string | null;
  /** The push service's status; null when it did not answer. */
  readonly status: number | null;
  /** The push service's reason (`BadDeviceToken`), or what went wrong in words. */
  readonly reason: string | null;
  /** With `gone`: the last time the push service knew the token to be invalid. */
  readonly goneSince: Date | null;
  readonly retryAfterSeconds: number | null;
}

/** Tells devices that passes have changed. A push carries nothing: the device then asks what is new. */
export abstract class ApplePush {
  /** Sends one push; never rejects. It may wait for its turn. @param accountId whose certificate it is sent with */
  abstract push(accountId: string, pushToken: string): Promise<PushAnswer>;
}
