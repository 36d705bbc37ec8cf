const OLDEST = 14;

/**
 * Refuses a server that is too old for the schema.
 * @param number as `server_version_num` has it: 140005 is 14.5. @param name as `server_version` has it
 */
export function requireSupportedServer(number: number, name: string): void {
  if (number >= OLDEST * 10_000) return;
  throw new Error(`Passwright needs Postgres ${OLDEST} or newer; this server is ${name}.`);
}
