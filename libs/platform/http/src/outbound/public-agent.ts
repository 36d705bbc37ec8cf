import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { isHostAllowed, isPlainlyPrivate, isWebPort } from './allowed-hosts.js';
import { addressesOf } from './host-addresses.js';
import { isPublicAddress } from './public-address.js';

/** What a `PublicAgent` is made with. */
export interface PublicAgentOptions {
  /** Hosts (`host` or `host:port`) that may be called although their addresses are private. */
  readonly hostsAllowed: readonly string[];
  /** How long a connection may take to be made once the host's addresses are known, TLS included. */
  readonly connectTimeoutMs: number;
  /** Whether a connection is used again for the next request to the same host. */
  readonly keepsConnections: boolean;
  /** Every address of a host, and whether it may be private. Default: `addressesOf`. */
  readonly resolve?: typeof addressesOf;
}

/** What is sent. */
export interface OutboundRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request, its body included. */
  readonly signal: AbortSignal;
}

/** An answer whose body is still to be read, or destroyed. */
export type OutboundResponse = Dispatcher.ResponseData;

/** Error codes of a look-up for a host without addresses. */
const NO_ADDRESS = ['ENOTFOUND', 'ENODATA'];
/** So long a connection waits for the next request at most. */
const IDLE_MS = 5000;

/**
 * Nothing was sent: the host has no address at all, or one that is not public. Both are one error, because the difference
 * would tell callers which names a private network has.
 */
export class NoPublicAddress extends Error {
  constructor(readonly host: string) {
    super(`The host ${host} has no public address`);
    this.name = 'NoPublicAddress';
  }
}

/** Nothing was sent: the port belongs to another kind of server. */
export class NoWebPort extends Error {
  constructor(readonly port: string) {
    super(`The port ${port} is not one for web servers, which are 80, 443 and those from 1024 on`);
    this.name = 'NoWebPort';
  }
}

/**
 * Makes requests to addresses that callers choose, and cannot be talked into a private one: what is checked is the address
 * that is dialled, so that DNS leads around it no more than a redirect, which is not followed.
 */
export class PublicAgent {
  private readonly agent: Agent;

  constructor(private readonly options: PublicAgentOptions) {
    this.agent = new Agent({
      ...(!options.keepsConnections && { pipelining: 0 }),
      // Whatever an answer asks for: connections that lie idle are the caller's to fill a process with.
      keepAliveMaxTimeout: IDLE_MS,
      connect: (target, callback) => {
        this.connect(target, callback).catch((error: Error) => callback(error, null));
      },
    });
  }

  /** @param url http or https. @throws NoPublicAddress. @throws NoWebPort. @throws what the network fails with, or the signal's reason */
  async request(url: URL, { signal, ...sent }: OutboundRequest): Promise<OutboundResponse> {
    const response = await request(url, { dispatcher: this.agent, signal, ...sent });
    // A body that is left unread says so as an error event, which would end the process if nobody listened.
    response.body.on('error', () => undefined);
    return response;
  }

  /** Ends what is under way. */
  async destroy(): Promise<void> {
    await this.agent.destroy();
  }

  private async connect(target: buildConnector.Options, callback: buildConnector.Callback): Promise<void> {
    const { hostname } = target;
    const { hostsAllowed, connectTimeoutMs } = this.options;
    const port = target.port || (target.protocol === 'https:' ? '443' : '80');
    const isAllowed = isHostAllowed(hostsAllowed, hostname, port);
    if (!isAllowed && isPlainlyPrivate(hostname)) throw new NoPublicAddress(hostname);
    if (!isAllowed && !isWebPort(port)) throw new NoWebPort(port);
    const addresses = await this.addressesOf(hostname, isAllowed);
    if (!isAllowed && !addresses.every(({ address }) => isPublicAddress(address))) throw new NoPublicAddress(hostname);
    const connect = buildConnector({
      timeout: connectTimeoutMs,
      autoSelectFamily: true,
      // The socket dials the checked addresses and asks no DNS again. It learns them a tick later: a connect that fails at
      // once (no route, no file handles) would destroy the TLS socket before undici listens, and end the process.
      lookup: (_hostname, _options, answer) => process.nextTick(answer, null, addresses),
    });
    connect(target, callback);
  }

  private async addressesOf(hostname: string, isAllowed: boolean): Promise<LookupAddress[]> {
    const family = isIP(hostname);
    if (family) return [{ address: hostname, family }];
    const { resolve = addressesOf } = this.options;
    return resolve(hostname, isAllowed).catch((error: Error & { code?: string }) => {
      throw !isAllowed && NO_ADDRESS.includes(error.code ?? '') ? new NoPublicAddress(hostname) : error;
    });
  }
}

/**
 * Returns why a request failed, for the operator's log alone: the code tells open ports from closed ones, so callers who
 * chose the address get one message for all faults of the network.
 */
export function networkFault(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no code';
}
