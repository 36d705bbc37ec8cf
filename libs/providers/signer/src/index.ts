export { DetachedCms, type SigningMaterial } from './cms.js';
export { CmsSigner } from './cms-signer.js';
export { loadDevelopmentChain } from './development-chain.js';
export { SignerModule } from './signer.module.js';
export { type CertificateIdentity, type DevelopmentIdentity, SignerOptions } from './signer.options.js';
export { loadSigningMaterial, type SigningPem } from './signing-material.js';
