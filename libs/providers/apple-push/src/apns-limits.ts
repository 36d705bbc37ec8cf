/** The concurrency limits and timeouts of a push client. */
export interface ApnsLimits {
  /**
   * The maximum number of certificates with an open connection. To open another connection, the client closes the least
   * recently used one.
   */
  readonly maxSessions: number;
  /** The maximum number of open streams on one connection, unless the peer allows fewer. */
  readonly maxStreams: number;
  /** The maximum number of waiting pushes per certificate. Further pushes immediately end with the outcome `retry`. */
  readonly maxWaiting: number;
  readonly waitTimeoutMs: number;
  /** The maximum time from the first packet to the SETTINGS frame of the peer. */
  readonly connectTimeoutMs: number;
  readonly streamTimeoutMs: number;
  /** The time without data after which the client sends a PING on a connection with open streams. */
  readonly busyPingAfterMs: number;
  /** The time without data after which the client sends a PING on a connection without open streams. */
  readonly idlePingAfterMs: number;
  readonly pingTimeoutMs: number;
  readonly idleCloseMs: number;
  /**
   * The client immediately replaces a closed connection that lasted at least this long. A shorter one counts as failed,
   * so the client pauses first.
   */
  readonly provenAfterMs: number;
  /** The first pause between connection attempts. Each further pause is twice as long, up to the maximum. */
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
