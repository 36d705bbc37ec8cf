import type { PrimaryServer } from './server-history.js';

/** Several servers accept writes, and the service cannot know which one has the newest data. */
export class SeveralPrimaries extends Error {
  constructor(servers: readonly PrimaryServer[]) {
    const names = servers.map(({ host, port }) => `${host}:${port}`).join(', ');
    super(`Several servers accept writes, and it is not clear which one is the newest: ${names}`);
    this.name = 'SeveralPrimaries';
  }
}

/** Returns true if a server of the same cluster was promoted later than the other one. */
export function isNewer({ history }: PrimaryServer, { history: other }: PrimaryServer): boolean {
  return history !== null && history.cluster === other?.cluster && history.timeline > other.timeline;
}

/** Returns true if two addresses lead to the same server, or to servers that do not tell their histories. */
export function isSameServer({ history }: PrimaryServer, { history: other }: PrimaryServer): boolean {
  return (
    history?.cluster === other?.cluster &&
    history?.timeline === other?.timeline &&
    history?.startedAt === other?.startedAt
  );
}

/** Returns true if the server at one address has restarted. */
function hasRestarted(before: PrimaryServer, now: PrimaryServer): boolean {
  return (
    before.url === now.url &&
    before.history?.cluster === now.history?.cluster &&
    before.history?.timeline === now.history?.timeline
  );
}

/**
 * Returns the newest of several servers that accept writes. If that is not clear, returns the known one. Ignores
 * servers that do not tell their histories, unless no server does: then the first one in the address counts.
 * @param known the server that this process has used. @throws SeveralPrimaries
 */
export function newestOf(
  servers: readonly [PrimaryServer, ...PrimaryServer[]],
  known: PrimaryServer | null,
): PrimaryServer {
  const comparable = servers.filter(({ history }) => history !== null);
  const newest = comparable.filter((each) => !comparable.some((other) => isNewer(other, each)));
  const [first = servers[0], ...others] = newest;
  if (others.every((each) => isSameServer(each, first))) return first;
  const used = known && newest.find((each) => isSameServer(each, known) || hasRestarted(known, each));
  if (!used) throw new SeveralPrimaries(newest);
  return used;
}
