/**
 * How a push ended.
 * - `accepted`: taken for delivery, which is no proof of arrival
 * - `gone`: the device no longer takes pushes under this token, since `goneSince`
 * - `bad_token`: the token is malformed or of another environment; one such answer may be a mistake, two are not
 * - `retry`: a passing fault, of the network, the push service or one device; not before `retryAfterSeconds` when set
 * - `invalid`: at fault is the push itself, or a token of another pass type; the same push is not sent again
 * - `refused`: at fault is this device's token, or what every push has in common; other devices tell which
 * - `halted`: certificate or configuration are at fault, every other push would end the same way
 * - `off`: nothing was sent, as the credential is a development one, which the push service does not know
 */
export type PushOutcome = 'accepted' | 'gone' | 'bad_token' | 'retry' | 'invalid' | 'refused' | 'halted' | 'off';

export interface PushAnswer {
  readonly outcome: PushOutcome;
  /** What the push service calls it, the `apns-id`; null when it did not answer. */
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
  /**
   * Sends a push to each of these devices; never rejects. Pushes may wait for their turn. Once the push service refuses the
   * sender (`halted`), those that are left are not sent.
   * @param accountId whose certificate they are sent with
   * @returns how they ended, in the order of the tokens; null for those that were not sent as the sender was refused
   */
  abstract pushAll(accountId: string, pushTokens: readonly string[]): Promise<readonly (PushAnswer | null)[]>;

  /** One push, as `pushAll`. */
  async push(accountId: string, pushToken: string): Promise<PushAnswer> {
    const [answer] = await this.pushAll(accountId, [pushToken]);
    if (!answer) throw new Error('The first push of a call always has an answer');
    return answer;
  }
}
