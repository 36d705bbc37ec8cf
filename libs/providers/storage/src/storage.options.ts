/** A folder of this machine, or a network folder that all nodes mount. */
export interface LocalStore {
  readonly kind: 'local';
  /** A folder that this process may write, created if missing. Several nodes need a shared folder. */
  readonly dir: string;
  /**
   * The size of Node's thread pool (UV_THREADPOOL_SIZE). At most half of its threads work on the folder. Default: 4.
   */
  readonly threads?: number;
}

/** A key of an S3 service. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The encryption that a bucket applies to each object. */
export type S3Encryption =
  | { readonly kind: 'AES256' }
  /** @property keyId the id or ARN of the key. Default: the key of the bucket, or the account's own key for S3 */
  | { readonly kind: 'aws:kms'; readonly keyId?: string };

/** The limits of one call of the storage. */
export interface S3Limits {
  /** The maximum number of attempts. Default: 3. */
  readonly attempts?: number;
  /** Milliseconds for one attempt, plus one for each KiB that it transfers. Default: 3000. */
  readonly attemptMs?: number;
  /** Milliseconds for all attempts of a call, plus one for each transferred KiB. Default: 8000. */
  readonly totalMs?: number;
}

/** A bucket of an S3 service. Any number of nodes share it. */
export interface S3Store {
  readonly kind: 's3';
  readonly bucket: string;
  readonly region: string;
  /** The address of a compatible service. Default: the endpoint of AWS for the region. */
  readonly endpoint?: string;
  /** The folder of the blobs in the bucket, without a slash at the end. Default: the whole bucket. */
  readonly prefix?: string;
  /** If true, requests have the name of the bucket in their path, otherwise in their host. Default: false. */
  readonly pathStyle?: boolean;
  /** The encryption of new objects. Default: the setting of the bucket. */
  readonly encryption?: S3Encryption;
  /** The key of the service. Default: the identity of the machine or container, such as its role. */
  readonly credentials?: S3Credentials;
  readonly limits?: S3Limits;
}

/** The place where blobs are stored. */
export type Store = LocalStore | S3Store;

/** The options of `StorageModule.forRoot`. */
export abstract class StorageOptions {
  abstract readonly store: Store;
}
