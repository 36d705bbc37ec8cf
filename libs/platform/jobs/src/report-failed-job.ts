import type { Logger } from '@nestjs/common';
import { counted, loggedError } from '@passwright/core';
import type { Job } from 'graphile-worker';

/**
 * Logs a failed attempt of a job, and counts the job if it was the last attempt. Graphile-worker plans the next
 * attempt: after e, e², e³ … seconds, at most six hours.
 */
export function reportFailedJob(logger: Logger, job: Job, error: unknown): void {
  const { task_identifier: task, id, attempts, max_attempts: maxAttempts } = job;
  const { type, message, stack } = loggedError(error);
  if (attempts >= maxAttempts) {
    counted('failed_jobs', { task });
    logger.error(`Job ${task} (${id}) has failed for good, after ${attempts} attempts: ${type}: ${message}`, stack);
  } else {
    logger.warn(`Job ${task} (${id}) failed at attempt ${attempts} of ${maxAttempts}, runs again: ${type}: ${message}`);
  }
}
