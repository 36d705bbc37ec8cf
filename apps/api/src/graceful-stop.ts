import { setTimeout as pause } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { ConnectionDrainService } from '@passwright/http';
import { ReadinessService } from './health/readiness.service.js';

/** How long clients of a replaced worker may send a last request on each open connection. */
const REPLACED_GRACE_MS = 5000;

/**
 * Reports that the node is not ready, waits until load balancers have noticed, finishes the requests in progress, and
 * closes the app.
 * @param options.delayMs how long the node still accepts requests after it reports that it is not ready
 * @param options.isReplaced true if another worker serves the port. Then clients continue on new connections to other
 * workers, so load balancers need not notice.
 */
export async function stopGracefully(
  app: INestApplication,
  { delayMs, isReplaced }: { readonly delayMs: number; readonly isReplaced: boolean },
): Promise<void> {
  const connections = app.get(ConnectionDrainService);
  if (isReplaced) await connections.drain(REPLACED_GRACE_MS);
  else {
    app.get(ReadinessService).stop();
    connections.announce();
    await pause(delayMs);
  }
  await app.close();
}
