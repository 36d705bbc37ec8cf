/** Timeouts and size limits of the client. */
export interface GoogleLimits {
  /** The limit for one request until the last byte of its response. Google advises 10 s. */
  readonly requestTimeoutMs: number;
  /** The maximum size of an unpacked response. */
  readonly responseBytes: number;
  /**
   * The time limit of a write that a holder waits for, and of a write in the background. It covers all attempts, the
   * pauses between them, and the waits for quota and access tokens.
   */
  readonly writeMs: { readonly holder: number; readonly background: number };
  /** The maximum number of attempts after temporary failures. */
  readonly attempts: number;
  /** The maximum of the first pause between attempts. It doubles with each attempt, up to `backoffMostMs`. */
  readonly backoffFirstMs: number;
  readonly backoffMostMs: number;
}

/** The default limits, which `GoogleWallet.write` promises. */
export const googleLimits: GoogleLimits = {
  requestTimeoutMs: 10_000,
  responseBytes: 2 ** 20,
  writeMs: { holder: 25_000, background: 45_000 },
  attempts: 4,
  backoffFirstMs: 400,
  backoffMostMs: 5_000,
};
