import type { ResponseOf } from '@passwright/client';

/** A template as it is stored. */
export interface Stored {
  readonly template: ResponseOf<'getTemplate'>;
  readonly etag: string | undefined;
}
