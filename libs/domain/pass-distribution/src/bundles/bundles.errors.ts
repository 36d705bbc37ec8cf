import { appError } from '@passwright/core';
import { maxBundlePasses } from '@passwright/wallet-renderers';

/** 400: more passes than Wallet can add together. */
export class BundleTooLarge extends appError(400, 'bundle_too_large') {
  constructor(count: number) {
    super(`A bundle holds at most ${maxBundlePasses} passes, not ${count}; request the others in a second bundle.`);
  }
}

/** 404: passes of a bundle do not exist. */
export class BundledPassNotFound extends appError(404, 'pass_not_found') {
  /** @param names as in the request */
  constructor(names: readonly string[]) {
    super(`No pass is found for ${names.join(', ')}; check the ids.`);
  }
}

/** 410: passes of a bundle were deleted. */
export class PassDeleted extends appError(410, 'pass_deleted') {
  /** @param names as in the request */
  constructor(names: readonly string[]) {
    super(`Deleted: ${names.join(', ')}; leave ${names.length === 1 ? 'it' : 'them'} out.`);
  }
}
