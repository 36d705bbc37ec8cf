/** The whole package except its module, for use without Nest. */
export { SystemClock } from '@passwright/core/plain';
export { appleRoot, appleWwdrG4 } from './apple-certificates.js';
export { DetachedCms, type SigningMaterial } from './detached-cms.js';
export { CmsEncoder, type UnsignedCms } from './cms-encoder.js';
export { CmsSigner } from './cms-signer.js';
export { loadDevelopmentChain } from './development-chain.js';
export { X509CertificateReader } from './reader/x509-certificate-reader.js';
export { type RemoteKey, RemoteKeySigner } from './remote-key-signer.js';
export { ResolvedCredentials } from './resolved-credentials.js';
export { type CertificateIdentity, type DevelopmentIdentity, SignerOptions } from './signer.options.js';
export { loadCertificates, loadSigningMaterial } from './signing-material.js';
