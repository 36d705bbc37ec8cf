const OLDEST = 14;

/**
 * Rejects a server that is too old for the schema.
 * @param number `server_version_num`, such as 140005 for 14.5. @param name `server_version`
 */
export function requireSupportedServer(number: number, name: string): void {
  if (number >= OLDEST * 10_000) return;
  throw new Error(`Passwright needs Postgres ${OLDEST} or newer; this server is ${name}.`);
}
