import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { isHostAllowed, isPlainlyPrivate } from './allowed-hosts.js';
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

/** So long a connection waits for the next request at most. */
const IDLE_MS = 5000;

/** Nothing was sent: the host has an address that is not public. */
export class PrivateTarget extends Error {
  constructor(readonly host: string) {
    super(`The host ${host} has a private or special address`);
    this.name = 'PrivateTarget';
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

  /** @param url http or https. @throws PrivateTarget. @throws what the network fails with, or the signal's reason */
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
    const { hostsAllowed, resolve = addressesOf, connectTimeoutMs } = this.options;
    const port = target.port || (target.protocol === 'https:' ? '443' : '80');
    const isAllowed = isHostAllowed(hostsAllowed, hostname, port);
    if (!isAllowed && isPlainlyPrivate(hostname)) throw new PrivateTarget(hostname);
    const family = isIP(hostname);
    const addresses: LookupAddress[] = family ? [{ address: hostname, family }] : await resolve(hostname, isAllowed);
    if (!isAllowed && !addresses.every(({ address }) => isPublicAddress(address))) throw new PrivateTarget(hostname);
    // The socket dials these very addresses: it asks no DNS again.
    const connect = buildConnector({
      timeout: connectTimeoutMs,
      autoSelectFamily: true,
      lookup: (_hostname, _options, answer) => answer(null, addresses),
    });
    connect(target, callback);
  }
}
