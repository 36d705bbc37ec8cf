import type { ResponseOf } from '@passwright/client';

/** A pass as it is stored. */
export interface StoredPass {
  readonly passWithLinks: ResponseOf<'getPass'>;
  readonly template: ResponseOf<'getTemplate'>;
  readonly etag: string | undefined;
}
