import type { Account } from './running-service.js';

/**
 * Reads a list to its end.
 * @returns the ids in the order of the list
 */
export async function walk(account: Account, path: string, between: () => Promise<unknown> = noop): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const address: string = path + (cursor && `${path.includes('?') ? '&' : '?'}cursor=${cursor}`);
    const { status, body } = await account.get(address);
    if (status !== 200) throw new Error(`${address} returned ${status}: ${JSON.stringify(body)}`);
    ids.push(...(body.data as { id: string }[]).map(({ id }) => id));
    cursor = body.nextCursor as string | null;
    await between();
  }
  return ids;
}

const noop = () => Promise.resolve();
