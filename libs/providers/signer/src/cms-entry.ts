/**
 * The part of this package that signs with a given certificate. It loads in a few milliseconds, even if it is bundled.
 */
export { SystemClock } from '@passwright/core/plain';
export { toIdentity } from './apple-credential.js';
export { appleRoot, appleWwdrG4 } from './apple-certificates.js';
export { DetachedCms, type SigningMaterial } from './detached-cms.js';
export { CmsEncoder, type UnsignedCms } from './cms-encoder.js';
export { type RemoteKey, RemoteKeySigner } from './remote-key-signer.js';
export { loadCertificates, loadSigningMaterial } from './signing-material.js';
