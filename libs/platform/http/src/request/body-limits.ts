/** The maximum size of a JSON body, in bytes. */
export const JSON_BYTES = 1024 * 1024;
/** The maximum size of a JSON body on a route that needs no credential, in bytes. */
export const PUBLIC_JSON_BYTES = 16 * 1024;
/** The default limit for all unfinished request bodies of a process together, in bytes. */
export const DEFAULT_BUDGET_BYTES = 64 * 1024 * 1024;
