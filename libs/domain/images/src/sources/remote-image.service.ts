import type { LookupAddress } from 'node:dns';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  addressesOf,
  networkError,
  NodeExhausted,
  NoPublicAddress,
  NoWebPort,
  type OutboundResponse,
  PublicAgent,
} from '@passwright/http';
import { parsedUrl } from '@passwright/wallet-renderers';
import { maxImageBytes, UnusableImage } from '../processing/image-limits.js';
import { ImagesOptions } from '../images.options.js';

const maxRedirects = 3;

/**
 * Fetches images from addresses that callers choose, but never from a private address. Connects only to the IP address
 * that it has checked, so that neither DNS nor a redirect can bypass the check.
 */
@Injectable()
export class RemoteImage implements OnApplicationShutdown {
  protected readonly timeoutMs: number = 10_000;
  private readonly logger = new Logger('Images');
  private readonly agent: PublicAgent;

  constructor({ imageHostsAllowed }: ImagesOptions) {
    this.agent = new PublicAgent({
      hostsAllowed: imageHostsAllowed,
      connectTimeoutMs: 10_000,
      // Do not reuse connections, because the next request may belong to another caller.
      keepsConnections: false,
      resolve: (hostname, isAllowed) => this.resolve(hostname, isAllowed),
    });
  }

  /**
   * Fetches the bytes at an http(s) address: at most 5 MiB, within 10 s, after at most 3 redirects.
   * @throws UnusableImage with the reason. @throws NodeExhausted
   */
  async fetch(url: string): Promise<Uint8Array> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      return await this.follow(url, signal);
    } catch (error) {
      throw error instanceof UnusableImage || error instanceof NodeExhausted
        ? error
        : new UnusableImage(this.reason(error));
    }
  }

  /** Closes the connections once all requests have ended, because a request in progress may still fetch images. */
  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  /** Resolves all addresses of a host. Specs override this method to replace DNS. */
  protected resolve(hostname: string, isAllowed: boolean): Promise<LookupAddress[]> {
    return addressesOf(hostname, isAllowed);
  }

  private async follow(url: string, signal: AbortSignal): Promise<Uint8Array> {
    let location = fetchable(url);
    for (let redirects = 0; ; redirects++) {
      const response = await this.agent.request(location, { signal, headers });
      const target = redirectOf(response);
      if (target === null) return await bytesOf(response);
      response.body.destroy();
      if (redirects === maxRedirects) throw new UnusableImage(`redirects more than ${maxRedirects} times`);
      location = fetchable(target, location);
    }
  }

  private reason(error: unknown): string {
    if (error instanceof NoPublicAddress) {
      return `could not be fetched: its host ${error.host} has no public address, and images must be on public hosts`;
    }
    if (error instanceof NoWebPort)
      return `could not be fetched: its port ${error.port} must be 80, 443 or at least 1024`;
    this.logger.debug(`An image did not arrive: ${networkError(error)}`);
    return `did not arrive within ${this.timeoutMs / 1000} s; check its host, port and certificate`;
  }
}

const headers = { accept: 'image/png, image/jpeg, image/webp', 'user-agent': 'Passwright' };

/** Returns an address that the client may connect to. @throws UnusableImage */
function fetchable(text: string, base?: URL): URL {
  const url = parsedUrl(text, base);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UnusableImage(base ? 'redirects to something other than http(s)' : 'must be an http(s) URL');
  }
  if (url.username !== '' || url.password !== '')
    throw new UnusableImage('must be a URL without a user name or password');
  return url;
}

function redirectOf({ statusCode, headers: { location } }: OutboundResponse): string | null {
  return [301, 302, 303, 307, 308].includes(statusCode) && typeof location === 'string' ? location : null;
}

async function bytesOf({ statusCode, headers, body }: OutboundResponse): Promise<Uint8Array> {
  // An early return destroys the body and the connection.
  if (statusCode !== 200) {
    body.destroy();
    throw new UnusableImage(`could not be fetched: its server returns status ${statusCode}`);
  }
  const tooLarge = new UnusableImage(`is larger than ${maxImageBytes / 1024 / 1024} MiB`);
  if (Number(headers['content-length']) > maxImageBytes) {
    body.destroy();
    throw tooLarge;
  }
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxImageBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
