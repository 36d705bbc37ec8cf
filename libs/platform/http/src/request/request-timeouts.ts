/** The time limit of a body. It is enough for the largest upload, five images of 5 MiB, at 2 Mbit/s. */
export const BODY_MS = 120_000;
/** The longest pause between two lines of a request. */
export const LINE_MS = 60_000;
/** How long a response may remain unread before its client counts as a slow reader. */
export const UNREAD_MS = 120_000;
/** How often the service looks for slow readers. */
export const UNREAD_CHECK_MS = 20_000;

/**
 * How long a stop waits for requests in progress: as long as a body or line may take to arrive, or a response to be
 * read.
 */
export const REQUESTS_STOP_MS = Math.max(BODY_MS, LINE_MS, UNREAD_MS + 2 * UNREAD_CHECK_MS) + 10_000;
