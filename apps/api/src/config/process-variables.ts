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
  SHUTDOWN_DELAY_SECONDS: {
    schema: wholeNumber(0, 60).optional(),
    about:
      'Seconds for which a stopping node still takes requests while /health/ready answers 503, so that a load ' +
      'balancer notices. Default: 2 in production, 0 in development.',
    example: '5',
  },
} as const;
