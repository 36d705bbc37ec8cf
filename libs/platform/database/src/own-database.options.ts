/** Options of `OwnDatabaseModule.forRoot`. The app configures its connection itself. */
export abstract class OwnDatabaseOptions {
  /**
   * The schema of Passwright's tables, which `migrate(url, { schema })` creates. It must be the first one in the
   * `search_path` of the app's connection. Default: that first one, normally `public`.
   */
  abstract readonly schema?: string | null;
}
