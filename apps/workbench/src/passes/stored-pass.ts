import type { ResponseOf } from '@passwright/client';

export interface StoredPass {
  readonly passWithLinks: ResponseOf<'getPass'>;
  readonly template: ResponseOf<'getTemplate'>;
  readonly etag: string | undefined;
}
