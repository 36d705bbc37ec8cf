import { setTimeout as pause } from 'node:timers/promises';
import { askServer, NotPrimary, type PrimaryServer } from './server-history.js';
import { isNewer, isSameServer, newestOf } from './newest-primary.js';
import { isDatabaseUnavailable, noteDatabaseError } from './temporary-errors.js';

/** The time that the other servers have to respond after a primary has responded. One of them may be a newer primary. */
const GRACE_MS = 300;
/** The interval of the searches while connections are open. */
const REPEAT_MS = 5000;

/** None of the servers of an address is the primary now. The message gives the reason for each. */
export class NoPrimary extends AggregateError {
  /** The SQL state or error code, if it is the same for all servers. */
  readonly code?: string;

  constructor(urls: readonly string[], errors: readonly Error[]) {
    const reasons = errors.map((error, at) => `${new URL(urls[at] ?? '').host}: ${error.message}`);
    super(errors, `No server is the primary. ${reasons.join('; ')}`);
    this.name = 'NoPrimary';
    const [code, ...others] = new Set(errors.map((error) => (error as NodeJS.ErrnoException).code));
    if (code !== undefined && others.length === 0) this.code = code;
  }
}

/** The server at one address, or the reason why it cannot be used. */
type Answer = PrimaryServer | Error;

/** A connection to a server that a search has found. */
export interface FoundConnection {
  readonly server: PrimaryServer | null;
  /** Ends the connection, because another server is the primary. */
  leave(reason: NotPrimary): void;
}

/**
 * Splits an address that names several servers, such as `postgres://user@db1:5432,db2:5432/name`.
 * Source: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
 * @returns an address for each server
 */
export function serverUrls(url: string): [string, ...string[]] {
  const [, start = '', hosts = '', rest = ''] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(url) ?? [];
  const [first, ...others] = hosts.split(',').map((host) => `${start}${host}${rest}`);
  return others.length > 0 ? [first as string, ...others] : [url];
}

/**
 * Returns the address of the primary alone, for programs that would use any server that accepts writes.
 * @param name the first word of the `application_name` of the search. @throws NoPrimary, SeveralPrimaries, or the error
 * of a server that rejects the role
 */
export async function primaryUrl(url: string, name: string): Promise<string> {
  const urls = serverUrls(url);
  return urls.length === 1 ? url : (await new Primary(urls, `${name} search`).find()).url;
}

/**
 * Knows which of several servers is the primary, and searches again when another server may have become the primary:
 * after an error, and repeatedly while connections are open. After a promotion, the former primary may accept writes
 * again, so all connections go to the newest primary, and leave any other server.
 */
export class Primary {
  private static readonly shared = new Map<string, Primary>();
  /** The latest search, running or finished. */
  private search: Promise<PrimaryServer> | null = null;
  /** The result of the latest search; null while it runs. */
  private found: PrimaryServer | null = null;
  /** The result of the latest search that found a server. */
  private known: PrimaryServer | null = null;
  private readonly connections = new Set<FoundConnection>();
  private timer: NodeJS.Timeout | null = null;

  /** @param name the `application_name` of the connections that search for the primary */
  constructor(
    private readonly urls: readonly string[],
    private readonly name: string,
  ) {}

  /**
   * Returns the search that all connections of a service to an address share in this process; null if the address
   * names only one server. @param name the `application_name` of the connections, which begins with the service
   */
  static of(url: string, name: string): Primary | null {
    const urls = serverUrls(url);
    if (urls.length === 1) return null;
    const [service] = name.split(' ', 1);
    const key = `${service} ${url}`;
    const primary = Primary.shared.get(key) ?? new Primary(urls, `${service} search`);
    Primary.shared.set(key, primary);
    return primary;
  }

  /**
   * Finds the primary. Simultaneous calls share one search. @throws NoPrimary, SeveralPrimaries, or the error of a
   * server that rejects the role
   */
  find(): Promise<PrimaryServer> {
    if (this.search) return this.search;
    const search = this.ask().then((answers) => this.choose(answers));
    this.search = search;
    search.then(
      (server) => {
        if (this.search === search) this.adopt(server);
      },
      () => {
        if (this.search === search) this.search = null;
      },
    );
    return search;
  }

  /** Called when a connection to a server fails, or the server rejects a write. */
  lost({ host, port }: PrimaryServer): void {
    if (this.found?.host !== host || this.found.port !== port) return;
    this.found = null;
    this.search = null;
  }

  /** Watches a connection until `remove`: ends it as soon as a search finds another primary. */
  add(connection: FoundConnection): void {
    this.connections.add(connection);
    this.timer ??= setInterval(() => void this.searchAgain(), REPEAT_MS).unref();
  }

  /** Stops watching a connection. After the last one, forgets the primary, because the search is no longer repeated. */
  remove(connection: FoundConnection): void {
    this.connections.delete(connection);
    if (this.connections.size > 0 || !this.timer) return;
    clearInterval(this.timer);
    this.timer = null;
    if (this.found) this.lost(this.found);
  }

  private async searchAgain(): Promise<void> {
    const { search, found } = this;
    const answers = await this.ask();
    // A search that began later has a newer result.
    if (this.search !== search) return;
    const server = this.chosen(answers);
    if (!server || (found && !mayReplace(server, found, answers[this.urls.indexOf(found.url)]))) return;
    this.search = Promise.resolve(server);
    this.adopt(server);
  }

  private adopt(server: PrimaryServer): void {
    this.found = server;
    this.known = server;
    for (const connection of this.connections)
      if (connection.server && !isSameServer(connection.server, server))
        connection.leave(new NotPrimary('Another server is the primary now'));
  }

  /**
   * Asks all servers simultaneously. A server that does not respond causes only a short delay if another one is the
   * primary.
   */
  private async ask(): Promise<readonly Answer[]> {
    const answers: Answer[] = this.urls.map(() => new Error('The server has not responded in time'));
    const asked = this.urls.map(async (url, at) => {
      const answer = await askServer(url, this.name).catch((error: Error) => error);
      answers[at] = answer;
      if (!this.isUsable(answer)) throw new NotPrimary();
    });
    const all = Promise.allSettled(asked);
    await Promise.any(asked).then(
      () => Promise.race([all, pause(GRACE_MS, undefined, { ref: false })]),
      () => all,
    );
    return answers;
  }

  private chosen(answers: readonly Answer[]): PrimaryServer | null {
    try {
      return this.choose(answers);
    } catch {
      return null;
    }
  }

  /**
   * A former primary of the known history is used again only if all other servers are standbys. Otherwise, the newer
   * primary may just be unavailable.
   */
  private choose(answers: readonly Answer[]): PrimaryServer {
    const isCertain = answers.every((answer) => !(answer instanceof Error) || answer instanceof NotPrimary);
    const servers = answers.flatMap((answer) => (answer instanceof Error ? [] : [answer]));
    const [first, ...others] = isCertain ? servers : servers.filter((server) => this.isUsable(server));
    if (first) return newestOf([first, ...others], this.known);
    const errors = answers.map((answer) =>
      answer instanceof Error ? answer : new NotPrimary('The server was the primary before a promotion'),
    );
    throw errors.find((each) => !isDatabaseUnavailable(noteDatabaseError(each))) ?? new NoPrimary(this.urls, errors);
  }

  private isUsable(answer: Answer): boolean {
    return !(answer instanceof Error) && !(this.known && isNewer(this.known, answer));
  }
}

/**
 * Returns true if open connections may leave a server for the server that a repeated search has chosen. If the server
 * merely failed to answer, its connections may still work, so they leave it only for a newer primary.
 * @param answer the answer of the server to this search
 */
function mayReplace(chosen: PrimaryServer, found: PrimaryServer, answer: Answer | undefined): boolean {
  const hasFailed = answer instanceof Error && !(answer instanceof NotPrimary);
  return !hasFailed || isSameServer(chosen, found) || isNewer(chosen, found);
}
