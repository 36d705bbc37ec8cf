import { askServer, type PrimaryServer } from './server-history.js';
import { isNewer, isSameServer } from './newest-primary.js';
import { serverUrls } from './primary.js';

/** A server that accepts writes although another server of its cluster does. */
export interface Rival {
  readonly server: string;
  /** The newest server of the cluster that accepts writes, or the first one of the newest. */
  readonly newest: string;
  /** False if both servers write the same timeline, so that either may have the newest data. */
  readonly isOlder: boolean;
}

/**
 * Finds the servers of an address that accept writes and are not the newest primary of their cluster. Ignores servers
 * that cannot be asked. @param name the `application_name` of the connections
 */
export async function findRivals(url: string, name: string): Promise<Rival[]> {
  const answers = await Promise.all(serverUrls(url).map((each) => askServer(each, name).catch(() => null)));
  const primaries = answers.filter((answer) => answer !== null);
  return primaries.flatMap((each) => {
    const others = primaries.filter(({ history }) => history !== null && history.cluster === each.history?.cluster);
    const newest = others.find((other) => !others.some((another) => isNewer(another, other)));
    if (!newest || isSameServer(newest, each)) return [];
    return [{ server: hostOf(each), newest: hostOf(newest), isOlder: isNewer(newest, each) }];
  });
}

const hostOf = ({ host, port }: PrimaryServer) => `${host}:${port}`;
