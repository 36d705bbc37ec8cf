import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse } from './running-service.js';

const TIMES = 20;

/**
 * Repeats a request as a client does while the node is too busy for it: after the `Retry-After` of its 503, at most 20
 * times. A node lets a request wait for its turn for at most five seconds, and a burst may take longer on a slow
 * machine.
 */
export async function repeatWhileBusy(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let times = 1; ; times++) {
    const response = await send();
    const seconds = response.headers.get('retry-after');
    if (response.status !== 503 || seconds === null || times === TIMES) return response;
    await pause(Number(seconds) * 1000);
  }
}
