import type { ApiResponse } from './running-service.js';

/**
 * Repeats a request as long as the node is too busy for it (503 with Retry-After). A node lets no request of an account
 * wait for its turn longer than five seconds, which a burst may need on a slow machine.
 */
export async function repeatWhileBusy(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (;;) {
    const response = await send();
    if (response.status !== 503 || !response.headers.has('retry-after')) return response;
  }
}
