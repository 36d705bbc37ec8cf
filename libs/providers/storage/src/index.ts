export { LocalStorage } from './local-storage.js';
export { S3RequestFailed } from './s3/s3-failure.js';
export { S3PackageMissing } from './s3/s3-package-missing.js';
export { type ListedBlob, S3Storage } from './s3/s3-storage.js';
export { StorageModule } from './storage.module.js';
export {
  type LocalStore,
  type S3Credentials,
  type S3Encryption,
  type S3Limits,
  type S3Store,
  StorageOptions,
  type Store,
} from './storage.options.js';
