export { Claimant, hasDied, whichDied } from './outbound/claimant.service.js';
export { IncarnationListener, type IncarnationStep } from './repairs/incarnation-listener.js';
export { JobHandler } from './job-handler.decorator.js';
export { Job, type JobClass, type JobContext } from './job.js';
export { JobsModule } from './jobs.module.js';
export { JobsOptions } from './jobs.options.js';
export { Jobs } from './jobs.js';
export { JOB_CONNECTIONS } from './lanes.js';
export {
  CircuitBreaker,
  type Circuit,
  type CircuitKey,
  type CircuitReceiver,
  type CircuitRules,
  type CircuitState,
  countCircuits,
  trialTimes,
} from './outbound/circuit-breaker.js';
export { CircuitRow } from './outbound/circuit.entity.js';
export {
  FairScheduler,
  type FairSchedulerOptions,
  type LeftKey,
  type SliceEnd,
  type TimeSlice,
  type TurnEnd,
} from './outbound/fair-scheduler.js';
export { OutboundRunner } from './outbound/outbound-runner.js';
export { RetryPolicy } from './outbound/retry-policy.js';
export { RepairsModule } from './repairs/repairs.module.js';
export { RepairsOptions } from './repairs/repairs.options.js';
export type { QueueCounts } from './queue.js';
export type { JobSetAside } from './set-aside.js';
export { RELEASE_PAUSE_MS, releaseTimeAfter } from './outbound/release-time.js';
export { CLAIMS_GIVEN_BACK, isSuspect, SUSPECT_PAUSE_MS } from './suspect-jobs.js';
export { SuspectWork } from './suspect-work.js';
