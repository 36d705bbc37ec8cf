/** Time limits that a primary sets for its workers. */
export interface WorkerLimits {
  /** The interval between two checks that a worker responds. */
  readonly pingMs: number;
  /** The longest time that a worker takes to start. The time for which it waits for its database does not count. */
  readonly startMs: number;
  /** The longest time that a worker takes to stop. */
  readonly leaveMs: number;
  /** The longest time that a stop of the whole node takes, including the shutdown delay. */
  readonly stopMs: number;
}

const PING_MS = 5000;
const START_MS = 180_000;
/**
 * The time that a stop may take for idle connections, running jobs and the last traces. Requests have a separate limit.
 */
const REST_MS = 15_000;

/** Returns the limits for a configuration. Tests pass shorter limits as command-line arguments. */
export function workerLimits(
  args: readonly string[],
  { shutdownDelayMs, requestsStopMs }: { readonly shutdownDelayMs: number; readonly requestsStopMs: number },
): WorkerLimits {
  const valueOf = (name: string, otherwise: number) =>
    Number(args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) ?? otherwise);
  const leaveMs = valueOf('--worker-leave-ms', requestsStopMs + REST_MS);
  return {
    pingMs: valueOf('--worker-ping-ms', PING_MS),
    startMs: valueOf('--worker-start-ms', START_MS),
    leaveMs,
    stopMs: shutdownDelayMs + leaveMs,
  };
}
