/** The place where blobs are stored. */
export type Store = {
  readonly kind: 'local';
  /** A folder that this process may write, created if missing. Several nodes need a shared folder. */
  readonly dir: string;
  /** The size of the thread pool (UV_THREADPOOL_SIZE). At most half of it works on the folder. Default: 4. */
  readonly threads?: number;
};

/** The options of `StorageModule.forRoot`. */
export abstract class StorageOptions {
  abstract readonly store: Store;
}
