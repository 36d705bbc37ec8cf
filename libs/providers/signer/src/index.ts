export { appleRoot, appleWwdrG4 } from './apple-certificates.js';
export { DetachedCms, type SigningMaterial } from './cms.js';
export { CmsSigner } from './cms-signer.js';
export { loadDevelopmentChain } from './development-chain.js';
export { X509CertificateReader } from './reader/x509-certificate-reader.js';
export { ResolvedCredentials } from './resolved-credentials.js';
export { SignerModule } from './signer.module.js';
export { type CertificateIdentity, type DevelopmentIdentity, SignerOptions } from './signer.options.js';
export { loadSigningMaterial } from './signing-material.js';
