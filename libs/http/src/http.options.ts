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
  /** How many connections one address may have open, where no proxy stands in front; 0 for any number. Default: 0. */
  abstract readonly connectionsPerAddress?: number;
  /** How many bytes of bodies that are still arriving a process holds. Default: 64 MiB. */
  abstract readonly bodyBudgetBytes?: number;
  /** How many requests a process works on at the same time; one caller has at most a quarter. Default: 20. */
  abstract readonly requestsAtOnce?: number;
  /** How stored responses are encrypted. Without it they are stored in clear. */
  abstract readonly storedResponses?: StoredResponseOptions;
}

/** How stored responses are encrypted at rest. */
export interface StoredResponseOptions {
  /** The first encrypts, all of them open; the same on every node. */
  readonly masterKeys: readonly MasterKey[];
  /** False: new responses are stored in clear, and those that are encrypted can still be read. */
  readonly encrypts: boolean;
}
