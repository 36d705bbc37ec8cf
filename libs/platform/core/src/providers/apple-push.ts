/**
 * The result of a push.
 * - `accepted`: accepted for delivery, which does not prove arrival
 * - `gone`: the device has not accepted pushes under this token since `goneSince`
 * - `bad_token`: the token is malformed or of another environment; the push service may return this once by mistake,
 *   but not twice
 * - `retry`: a temporary error of the network, the push service or one device; wait `retryAfterSeconds` if set
 * - `invalid`: the push itself is wrong, or the token belongs to another pass type; do not send the same push again
 * - `rejected`: either the token of this device or every push is wrong; the results of other devices show which
 * - `credential_rejected`: the certificate or the configuration is wrong; every other push would fail too
 * - `off`: nothing was sent, because the push service does not accept development credentials
 */
export type PushOutcome =
  'accepted' | 'gone' | 'bad_token' | 'retry' | 'invalid' | 'rejected' | 'credential_rejected' | 'off';

export interface PushResult {
  readonly outcome: PushOutcome;
  /** The push service's id, `apns-id`; null without a response. */
  readonly pushId: string | null;
  /** The push service's status; null without a response. */
  readonly status: number | null;
  /** The push service's reason (`BadDeviceToken`), or an explanation. */
  readonly reason: string | null;
  /** The last time at which the push service confirmed that the token is invalid; only with `gone`. */
  readonly goneSince: Date | null;
  readonly retryAfterSeconds: number | null;
}

/** Notifies devices that passes have changed. A push carries no content; the device then asks for the changes. */
export abstract class ApplePush {
  /**
   * Sends a push to each of these devices. Never rejects. Once the push service rejects the sender
   * (`credential_rejected`), the remaining pushes are skipped.
   * @param accountId the account whose certificate is used
   * @returns the results in the order of the tokens; null for a skipped push
   */
  abstract pushAll(accountId: string, pushTokens: readonly string[]): Promise<readonly (PushResult | null)[]>;

  /** Sends one push, as `pushAll` does. */
  async push(accountId: string, pushToken: string): Promise<PushResult> {
    const [result] = await this.pushAll(accountId, [pushToken]);
    if (!result) throw new Error('The first push of a call always has a result');
    return result;
  }
}
