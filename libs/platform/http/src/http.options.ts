import type { MasterKey } from '@passwright/core';

/** What `HttpModule.forRoot` takes. */
export abstract class HttpOptions {
  /** The public address; behind https, browsers are told to stay on it. */
  abstract readonly baseUrl: string;
  /** How many reverse proxies stand in front: the client's address is read that far back in `X-Forwarded-For`. */
  abstract readonly trustProxy: number;
  /** Origins (`https://shop.example.com`) whose pages may call the API from browsers. Default: none but its own. */
  abstract readonly allowedOrigins?: readonly string[];
  /** Requests per minute and caller (account, or address on public routes) over all nodes; 0 for no limit. */
  abstract readonly requestsPerMinute: number;
  /** The most open connections of one address, for a service without a proxy; 0 for no limit. Default: 0. */
  abstract readonly connectionsPerAddress?: number;
  /** The most bytes of unfinished request bodies in a process. Default: 64 MiB. */
  abstract readonly bodyBudgetBytes?: number;
  /** Requests that a process works on at the same time; one caller has at most half of them. Default: 20. */
  abstract readonly requestsAtOnce?: number;
  /** Encryption of stored responses. Without it they are stored in clear. */
  abstract readonly storedResponses?: StoredResponseOptions;
}

/** Encryption of stored responses at rest. */
export interface StoredResponseOptions {
  /** The first encrypts, all of them open; the same on every node. */
  readonly masterKeys: readonly MasterKey[];
  /** False: new responses are stored in clear, and those that are encrypted can still be read. */
  readonly encrypts: boolean;
}
