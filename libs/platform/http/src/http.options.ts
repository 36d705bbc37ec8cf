import type { MasterKey } from '@passwright/core';
import type { ExceptionFilter } from '@nestjs/common';

/**
 * Options of `HttpModule.forRoot`. `trustProxy`, `allowedOrigins`, `connectionsPerAddress` and `stopWithinMs` work only
 * with `applyHttpConventions`.
 */
export abstract class HttpOptions {
  /**
   * The public address, with the app's global prefix and without a trailing slash. With https, responses make browsers
   * insist on https.
   */
  abstract readonly baseUrl: string;
  /**
   * The number of reverse proxies in front of the service. The client's address is the entry of `X-Forwarded-For` with
   * this number, counted from the end.
   */
  abstract readonly trustProxy: number;
  /**
   * Origins (`https://shop.example.com`) whose pages may call the API from browsers. Default: only the service's own.
   */
  abstract readonly allowedOrigins?: readonly string[];
  /**
   * The number of requests per minute for each caller, over all nodes. A caller is an account, or an address on public
   * routes. 0 for no limit.
   */
  abstract readonly requestsPerMinute: number;
  /** The maximum number of open connections per address, for a service without a proxy; 0 for no limit. Default: 0. */
  abstract readonly connectionsPerAddress?: number;
  /** The maximum total size of unfinished request bodies in a process. Default: 64 MiB. */
  abstract readonly bodyBudgetBytes?: number;
  /**
   * The number of requests that a process works on at the same time; one caller may use at most half of them. Default:
   * 20.
   */
  abstract readonly requestsAtOnce?: number;
  /** How long a stop waits for requests in progress before it cuts them off. Default: 170 seconds. */
  abstract readonly stopWithinMs?: number;
  /** Writes the errors of the routes. Default: `AppErrorFilter`, which sends JSON to every client. */
  abstract readonly errorFilter?: ExceptionFilter;
  /**
   * The address of a page that explains error codes. Each error links to it in the property `docUrl` and in the header
   * `Link`, with its code as the fragment. Default: errors have no links.
   */
  abstract readonly errorHelpUrl?: string;
  /** The encryption of stored responses. Without it they are stored in clear. */
  abstract readonly storedResponses?: StoredResponseOptions;
}

/** Encryption of stored responses at rest. */
export interface StoredResponseOptions {
  /** The keys that decrypt. The first one encrypts. Use the same keys on every node. */
  readonly masterKeys: readonly MasterKey[];
  /** If false, new responses are stored in clear. Encrypted responses stay readable. */
  readonly encrypts: boolean;
}
