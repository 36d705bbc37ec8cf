import { z } from 'zod';
import { wholeNumber } from './variable-forms.js';

/** The variables that say what a node does, and how it stops. */
export const processVariables = {
  ROLE: {
    schema: z.enum(['all', 'api', 'worker'], 'must be all, api or worker').default('all'),
    about:
      'What the node does: api serves requests and runs no jobs, worker runs jobs and serves only /health and ' +
      '/metrics, all does both. Default: all.',
    example: 'api',
  },
  WORKERS: {
    schema: z
      .string()
      .regex(/^(auto|[1-9]\d?|1[01]\d|12[0-8])$/, 'must be auto or a whole number from 1 to 128')
      .default('1')
      .transform((text) => (text === 'auto' ? text : Number(text))),
    about:
      'Processes that serve the port together, each on one core. auto: one per core, fewer if memory or ' +
      'DATABASE_POOL_SIZE does not suffice, and at most 4 unless ROLE=api. Default: 1; in the container auto.',
    example: 'auto',
  },
  SHUTDOWN_DELAY_SECONDS: {
    schema: wholeNumber(0, 60).optional(),
    about:
      'Seconds for which a stopping node still takes requests while /health/ready returns 503, so that a load ' +
      'balancer notices. Default: 2 in production, 0 in development.',
    example: '5',
  },
  SHUTDOWN_REQUEST_SECONDS: {
    schema: wholeNumber(1, 170).default(170),
    about:
      'Seconds for which a stopping node then waits for requests in progress. 170 is enough for the slowest upload ' +
      'and download; with less, the node may cut off slow ones. Default: 170.',
    example: '30',
  },
} as const;
