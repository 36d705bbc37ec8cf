/** The lanes, and how many jobs a process runs at once in each. A backlog in one lane never delays another. */
export const LANES = {
  /** Marks the devices and objects that a change affects. */
  changes: 2,
  /** Pushes to Apple. */
  pushes: 2,
  /** Writes to Google. One job writes for all accounts. A second job only passes its work to that job. */
  google: 2,
  /** Deliveries to webhooks. One job sends for all webhooks. A second job only passes its work to that job. */
  webhooks: 2,
  mails: 1,
  /** Messages to pass holders, for one founder at a time. */
  messages: 1,
  /** Schedules and jobs that delete expired data. */
  timed: 2,
  /** Schedules that search for due work or repair wrong times, and delete nothing. */
  looks: 2,
  /** Repairs after a restore, one slot for each kind. Phones wait for these repairs. */
  restores: 3,
  background: 1,
  /** Suspect jobs, one at a time. While they wait, they occupy no other lane. */
  alone: 1,
} as const;

export type Lane = keyof typeof LANES;

/**
 * The number of connections for taking and ending jobs and for the crontab, plus a listening connection for each lane.
 */
export const QUEUE_CONNECTIONS = 5 + Object.keys(LANES).length;

/** The most connections that a process takes for jobs: those of the queue, and one for its presence lock. */
export const JOB_CONNECTIONS = QUEUE_CONNECTIONS + 1;
