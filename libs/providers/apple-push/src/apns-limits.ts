/** The concurrency limits and timeouts of a push client. */
export interface ApnsLimits {
  /**
   * The maximum number of certificates with an open connection. Before another one is opened, the least recently used
   * connection is closed.
   */
  readonly maxSessions: number;
  /** The maximum number of open streams on one connection, unless the peer allows fewer. */
  readonly maxStreams: number;
  /** The maximum number of waiting pushes per certificate. Further pushes immediately end with the outcome `retry`. */
  readonly maxWaiting: number;
  readonly waitTimeoutMs: number;
  /** The longest time from the first packet to the peer's SETTINGS. */
  readonly connectTimeoutMs: number;
  readonly streamTimeoutMs: number;
  /** A silent connection with open streams is checked with a PING after this time. */
  readonly busyPingAfterMs: number;
  /** A silent connection without open streams is checked with a PING after this time. */
  readonly idlePingAfterMs: number;
  readonly pingTimeoutMs: number;
  readonly idleCloseMs: number;
  /**
   * A connection that served this long is replaced immediately when the peer closes it. A connection that ends earlier
   * counts as failed.
   */
  readonly provenAfterMs: number;
  /** The first pause between connection attempts. Each further pause is twice as long, up to the longest. */
  readonly backoffFirstMs: number;
  readonly backoffMostMs: number;
  /** The time within which open streams may finish when the service stops. */
  readonly shutdownMs: number;
}

/**
 * The default limits. They follow Apple's advice to keep connections open for hours, and not to open a connection for
 * each push.
 */
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
