/** Options of `OwnDatabaseModule.forRoot`. The app configures its connection itself. */
export abstract class OwnDatabaseOptions {
  /**
   * The schema of Passwright's tables, which `migrate(url, { schema })` creates. It must be the first schema in the
   * `search_path` of the app's connection. Default: that first schema, normally `public`.
   */
  abstract readonly schema?: string | null;
}
