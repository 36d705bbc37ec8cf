import type { ResponseOf } from '@passwright/client';

/** A stored template. */
export interface Stored {
  readonly template: ResponseOf<'getTemplate'>;
  readonly etag: string | undefined;
}
