/** Where blobs are kept. */
export type Store = {
  readonly kind: 'local';
  /** A folder that this process may write; made when missing. Several nodes need one that they all see. */
  readonly dir: string;
};

/** What `StorageModule.forRoot` takes. */
export abstract class StorageOptions {
  abstract readonly store: Store;
}
