import { appError } from '@passwright/core';
import { maxBundlePasses } from '@passwright/wallet-renderers';

/** 400: the bundle has more passes than Apple Wallet can add together. */
export class BundleTooLarge extends appError(400, 'bundle_too_large') {
  constructor(count: number) {
    super(`A bundle holds at most ${maxBundlePasses} passes, not ${count}; request the others in a second bundle.`);
  }
}

/** 404: at least one pass of the bundle does not exist. */
export class BundledPassNotFound extends appError(404, 'pass_not_found') {
  /** @param names the missing passes, named as in the request */
  constructor(names: readonly string[]) {
    super(`No pass is found for ${names.join(', ')}; check the ids.`);
  }
}

/** 410: at least one pass of the bundle was deleted. */
export class PassDeleted extends appError(410, 'pass_deleted') {
  /** @param names the deleted passes, named as in the request */
  constructor(names: readonly string[]) {
    super(`Deleted: ${names.join(', ')}; leave ${names.length === 1 ? 'it' : 'them'} out.`);
  }
}
