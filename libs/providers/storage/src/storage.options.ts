/** Where blobs are kept. */
export type Store = {
  readonly kind: 'local';
  /** A folder that this process may write; made when missing. Several nodes need one that they all see. */
  readonly dir: string;
  /** The threads of the process's pool (UV_THREADPOOL_SIZE), half of which work on the folder at most. Default: 4. */
  readonly threads?: number;
};

/** What `StorageModule.forRoot` takes. */
export abstract class StorageOptions {
  abstract readonly store: Store;
}
