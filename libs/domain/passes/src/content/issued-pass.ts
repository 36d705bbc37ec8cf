import type { Pass } from './pass.entity.js';

/** A pass with the state that comes from its template. */
export interface IssuedPass {
  readonly pass: Pass;
  /** Set while the template is archived, which voids the pass; see `isVoided`. */
  readonly archivedAt: Date | null;
  /** The last change of the template, which also changes the pass. */
  readonly templateUpdatedAt: Date;
}
