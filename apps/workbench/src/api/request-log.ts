import { Store } from '../model/store.js';
import { type Samples, samplesOf } from './request-samples.js';

/** A request that the page has sent. */
export interface LoggedRequest {
  readonly id: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Null until the response arrives; 0 if there was none; `cancelled` if the page no longer needed it. */
  readonly status: number | 'cancelled' | null;
  readonly milliseconds: number | null;
  readonly samples: Samples;
}

const MOST_REQUESTS = 50;

/** Sends requests and remembers the latest ones, newest first, with placeholders in place of credentials. */
export class RequestLog {
  readonly entries = new Store<readonly LoggedRequest[]>([]);
  private lastId = 0;

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { method = 'GET', headers = {}, body } = init;
    const id = (this.lastId += 1);
    const { pathname, search } = new URL(url);
    const samples = samplesOf({ method, url, headers: headers as Record<string, string>, body });
    const entry = { id, method, path: pathname + search, status: null, milliseconds: null, samples };
    this.entries.set([entry, ...this.entries.get()].slice(0, MOST_REQUESTS));
    const start = performance.now();
    const end = (status: number | 'cancelled') =>
      this.entries.set(
        this.entries
          .get()
          .map((each) =>
            each.id === id ? { ...each, status, milliseconds: Math.round(performance.now() - start) } : each,
          ),
      );
    try {
      const response = await fetch(url, { ...init, cache: 'no-store' });
      end(response.status);
      return response;
    } catch (error) {
      end(error instanceof Error && error.name === 'AbortError' ? 'cancelled' : 0);
      throw error;
    }
  };
}
