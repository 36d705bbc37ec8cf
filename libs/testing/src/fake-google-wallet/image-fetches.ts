import { isJsonObject } from './compact-jwt.js';
import { invalid } from './google-rejection.js';
import type { OutgoingHttp } from './outgoing-http.js';

const TIMEOUT_MS = 5000;
/** The maximum size of an image in bytes. The limit is ours, because Google documents none. */
const MAX_BYTES = 10 << 20;

/** An attempt to fetch an image. */
export interface ImageFetch {
  readonly url: string;
  readonly at: Date;
  /** The status of the response; null if there was none. */
  readonly status: number | null;
  /** The reason why the image is unusable; null if it is usable. */
  readonly problem: string | null;
}

/** Fetches images at each write, like Google: without credentials and redirects, and within five seconds. */
export class ImageFetches {
  readonly log: ImageFetch[] = [];

  constructor(
    private readonly http: OutgoingHttp,
    private readonly now: () => Date,
  ) {}

  /**
   * Fetches each image of the resources once.
   * @throws GoogleRejection 400 that names the first unusable image
   */
  async check(resources: readonly unknown[]): Promise<void> {
    const fetches = await Promise.all([...new Set(resources.flatMap(imageUrls))].map((url) => this.fetch(url)));
    const failed = fetches.find(({ problem }) => problem !== null);
    if (failed) invalid(`Image cannot be loaded: ${failed.url}: ${failed.problem}`);
  }

  private async fetch(url: string): Promise<ImageFetch> {
    const at = this.now();
    const { status, problem } = await this.outcome(url);
    const fetched = { url, at, status, problem };
    this.log.push(fetched);
    return fetched;
  }

  private async outcome(url: string): Promise<{ status: number | null; problem: string | null }> {
    try {
      const { username, password } = new URL(url);
      if (username || password) return { status: null, problem: 'it needs a name or password' };
      const response = await this.http.send(url, { method: 'GET', timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
      return { status: response.status, problem: errorOf(response) };
    } catch (error) {
      return { status: null, problem: error instanceof Error ? error.message : String(error) };
    }
  }
}

function errorOf({ status, contentType, bytes }: { status: number; contentType: string; bytes: Buffer }) {
  if (status !== 200) return `returned ${status}`;
  if (!contentType.startsWith('image/')) return `its content type is "${contentType}"`;
  return bytes.length === 0 ? 'it is empty' : null;
}

/** Returns the address of every `sourceUri`, at any depth. */
function imageUrls(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(imageUrls);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'sourceUri' && isJsonObject(inner) ? [String(inner['uri'])] : imageUrls(inner),
  );
}
