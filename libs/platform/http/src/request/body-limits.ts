/** The maximum size of a JSON body, in bytes. */
export const JSON_BYTES = 1024 * 1024;
/** The same for a route that needs no credential. */
export const PUBLIC_JSON_BYTES = 16 * 1024;
/** The default for all unfinished bodies of a process together, in bytes. */
export const DEFAULT_BUDGET_BYTES = 64 * 1024 * 1024;
