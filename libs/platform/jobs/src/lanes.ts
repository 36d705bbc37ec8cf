/**
 * The kinds of jobs, and how many of each a process runs at once. A kind has these places to itself, so that a backlog
 * of one never holds up another.
 */
export const LANES = {
  /** Marks what a change concerns. */
  changes: 2,
  /** Pushes to Apple. */
  pushes: 2,
  /** Writes to Google. The first job sends for all; another tells it that there is more. */
  google: 2,
  /** Sends to webhooks, in the same way. */
  webhooks: 2,
  mails: 1,
  /** Schedules, and jobs that delete what has had its time. */
  timed: 2,
  /** Schedules that look for what is due and repair wrong times: they delete and expire nothing. */
  looks: 2,
  /** Repairs after a restore, which phones wait for: a place for each kind of repair. */
  restores: 3,
  background: 1,
  /** Tries what has probably ended its process, one job at a time: those that wait take no other kind's places. */
  alone: 1,
} as const;

export type Lane = keyof typeof LANES;
