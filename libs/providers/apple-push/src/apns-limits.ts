/** How much a push client takes on at a time, and how long it waits for what. */
export interface ApnsLimits {
  /** Certificates with a connection at a time; past that, the one longest unused loses its own. */
  readonly maxSessions: number;
  /** Streams open at a time on one connection, where the peer allows as many. */
  readonly maxStreams: number;
  /** Pushes of one certificate that wait for their turn; any more are answered `retry` at once. */
  readonly maxWaiting: number;
  readonly waitTimeoutMs: number;
  /** From the first packet to the peer's SETTINGS. */
  readonly connectTimeoutMs: number;
  readonly streamTimeoutMs: number;
  /** A connection with open streams that was silent for so long is asked whether it is alive. */
  readonly busyPingAfterMs: number;
  /** The same, without open streams. */
  readonly idlePingAfterMs: number;
  readonly pingTimeoutMs: number;
  readonly idleCloseMs: number;
  /** A connection that served for so long is replaced at once when the peer leaves it; others count as failed. */
  readonly provenAfterMs: number;
  /** Between attempts to connect: the first pause, which doubles up to the longest. */
  readonly backoffFirstMs: number;
  readonly backoffMostMs: number;
  /** What open streams get to finish when the service stops. */
  readonly shutdownMs: number;
}

/** Apple's advice: connections stay open for hours, and are never made per push. */
export const apnsLimits: ApnsLimits = {
  maxSessions: 100,
  maxStreams: 500,
  maxWaiting: 100_000,
  waitTimeoutMs: 60_000,
  connectTimeoutMs: 10_000,
  streamTimeoutMs: 10_000,
  busyPingAfterMs: 5_000,
  idlePingAfterMs: 60_000,
  pingTimeoutMs: 5_000,
  idleCloseMs: 30 * 60_000,
  provenAfterMs: 1_000,
  backoffFirstMs: 1_000,
  backoffMostMs: 60_000,
  shutdownMs: 5_000,
};
