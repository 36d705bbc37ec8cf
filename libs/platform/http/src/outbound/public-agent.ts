import type { LookupAddress } from 'node:dns';
import { promises } from 'node:fs';
import { isIP } from 'node:net';
import { devNull } from 'node:os';
import { inHttpSpan, isOutOfResources, NotReady } from '@passwright/core';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { isHostAllowed, isPlainlyPrivate, isWebPort } from './allowed-hosts.js';
import { addressesOf } from './host-addresses.js';
import { isPublicAddress } from './public-address.js';

/** Options of a `PublicAgent`. */
export interface PublicAgentOptions {
  /** Hosts (`host` or `host:port`) that may be called even if their addresses are private. */
  readonly hostsAllowed: readonly string[];
  /** How long connecting may take, including TLS but not the look-up of the host. */
  readonly connectTimeoutMs: number;
  /** If true, reuses a connection for the next request to the same host. */
  readonly keepsConnections: boolean;
  /** Resolves a host, with private addresses only if `isAllowed`. Default: `addressesOf`. */
  readonly resolve?: typeof addressesOf;
}

/** The request to send. */
export interface OutboundRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts the request, including its body. */
  readonly signal: AbortSignal;
}

/** A response whose body must still be read or destroyed. */
export type OutboundResponse = Dispatcher.ResponseData;

/** Error codes of a look-up that found no address, or whose host cannot be a name in DNS. */
const NO_ADDRESS = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];
/** The maximum number of informational responses (1xx) to a request. Their bytes do not count as a body. */
const MAX_INFORMATIONAL = 20;
/** How long an idle connection waits for the next request. */
const IDLE_MS = 5000;

/**
 * The host has no address or a private one, so the agent sent nothing. Both cases have the same error, because the
 * difference would reveal the names of a private network.
 */
export class NoPublicAddress extends Error {
  constructor(readonly host: string) {
    super(`The host ${host} has no public address`);
    this.name = 'NoPublicAddress';
  }
}

/** The port is not that of a web server, so the agent sent nothing. */
export class NoWebPort extends Error {
  constructor(readonly port: string) {
    super(`The port ${port} is not one for web servers, which are 80, 443 and those from 1024 on`);
    this.name = 'NoWebPort';
  }
}

/** The host sends informational responses (1xx) instead of its response, which would never end. */
export class TooManyInformational extends Error {
  constructor() {
    super(`The host has sent more than ${MAX_INFORMATIONAL} informational responses`);
    this.name = 'TooManyInformational';
  }
}

/** 503: this node has no file handle or memory left to connect to any host, so the agent sent nothing. */
export class NodeExhausted extends NotReady {
  constructor() {
    super('This node has no file handle or memory left for another connection. Try again.');
  }
}

/**
 * Sends requests to addresses that callers choose, but never to a private one. Checks the address to which it connects,
 * so DNS cannot bypass the check. Follows no redirects.
 */
export class PublicAgent {
  private readonly agent: Agent;

  constructor(private readonly options: PublicAgentOptions) {
    this.agent = new Agent({
      ...(!options.keepsConnections && { pipelining: 0 }),
      // Ignore the server's own keep-alive time, because callers could fill the process with idle connections.
      keepAliveMaxTimeout: IDLE_MS,
      connect: (target, callback) => {
        this.connect(target, callback).catch((error: Error) => callback(error, null));
      },
    });
  }

  /**
   * Sends a request. @param url http or https. @throws NoPublicAddress. @throws NoWebPort. @throws NodeExhausted.
   * @throws TooManyInformational. @throws the network's error, or the signal's reason
   */
  request(url: URL, { signal, ...sent }: OutboundRequest): Promise<OutboundResponse> {
    return inHttpSpan(sent.method ?? 'GET', url, async (noteStatus) => {
      const options = { dispatcher: this.agent, signal, onInfo: limitInformational(), ...sent };
      const response = await request(url, options).catch((error: unknown) => {
        throw isOutOfResources(error) ? new NodeExhausted() : error;
      });
      noteStatus(response.statusCode);
      // Handle the error event of an unread body, because an unhandled error would end the process.
      response.body.on('error', () => undefined);
      return response;
    });
  }

  /** Aborts all requests and closes all connections. */
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
      // Pass the checked addresses one tick later, because undici must add its listener before a connection can fail.
      lookup: (_hostname, _options, reply) => process.nextTick(reply, null, addresses),
    });
    connect(target, callback);
  }

  private async addressesOf(hostname: string, isAllowed: boolean): Promise<LookupAddress[]> {
    const family = isIP(hostname);
    if (family) return [{ address: hostname, family }];
    const { resolve = addressesOf } = this.options;
    return resolve(hostname, isAllowed).catch(async (error: Error & { code?: string }) => {
      // Check for a free file handle, because without one, a look-up wrongly reports that the host does not exist.
      if (await hasNoHandle()) throw new NodeExhausted();
      throw !isAllowed && NO_ADDRESS.includes(error.code ?? '') ? new NoPublicAddress(hostname) : error;
    });
  }
}

/**
 * Returns the error code of a failed request, for the operator's log only. Callers get the same message for all network
 * errors, because the code would reveal open ports.
 */
export function networkError(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no code';
}

/** Returns a listener for the informational responses to one request. */
function limitInformational(): () => void {
  let count = 0;
  return () => {
    count += 1;
    // The client closes the connection and rejects the request with this error.
    if (count > MAX_INFORMATIONAL) throw new TooManyInformational();
  };
}

/** Returns true if this process cannot open a file now. */
async function hasNoHandle(): Promise<boolean> {
  try {
    await (await promises.open(devNull)).close();
    return false;
  } catch (error) {
    return isOutOfResources(error);
  }
}
