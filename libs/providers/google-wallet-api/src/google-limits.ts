/** How long the client waits for what, and how much it reads. */
export interface GoogleLimits {
  /** For one request, from its start to the last byte of its answer. Google advises 10 s. */
  readonly requestTimeoutMs: number;
  /** Of an answer, unpacked. */
  readonly answerBytes: number;
  /** For all that one write takes, by urgency: turns, tokens, requests and pauses. */
  readonly writeMs: { readonly holder: number; readonly background: number };
  /** Requests of one kind at most, when passing faults meet them. */
  readonly attempts: number;
  /** The longest first pause between them, which doubles up to the longest of all. */
  readonly backoffFirstMs: number;
  readonly backoffMostMs: number;
}

/** As `GoogleWallet.write` promises. */
export const googleLimits: GoogleLimits = {
  requestTimeoutMs: 10_000,
  answerBytes: 2 ** 20,
  writeMs: { holder: 25_000, background: 45_000 },
  attempts: 4,
  backoffFirstMs: 400,
  backoffMostMs: 5_000,
};
