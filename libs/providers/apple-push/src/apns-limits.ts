/** Concurrency limits and timeouts of a push client. */
export interface ApnsLimits {
  /**
   * Certificates that may have a connection at the same time. Beyond that, the least recently used certificate loses
   * its connection.
   */
  readonly maxSessions: number;
  /** Streams open at the same time on one connection, if the peer allows as many. */
  readonly maxStreams: number;
  /** Pushes of one certificate that may wait. Further pushes end as `retry` at once. */
  readonly maxWaiting: number;
  readonly waitTimeoutMs: number;
  /** The time from the first packet to the peer's SETTINGS. */
  readonly connectTimeoutMs: number;
  readonly streamTimeoutMs: number;
  /** A connection with open streams is checked with a PING after this much silence. */
  readonly busyPingAfterMs: number;
  /** The same for a connection without open streams. */
  readonly idlePingAfterMs: number;
  readonly pingTimeoutMs: number;
  readonly idleCloseMs: number;
  /** A connection that served this long is replaced at once when the peer closes it. A shorter one counts as failed. */
  readonly provenAfterMs: number;
  /** The first pause between connection attempts. It doubles up to the longest. */
  readonly backoffFirstMs: number;
  readonly backoffMostMs: number;
  /** The time that open streams get to finish when the service stops. */
  readonly shutdownMs: number;
}

/** Follows Apple's advice to keep connections open for hours and never to connect once per push. */
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
