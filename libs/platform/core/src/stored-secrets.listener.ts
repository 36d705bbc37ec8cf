/** A column of encrypted secrets, which the lib that owns the table announces. */
export interface SecretColumn {
  /** The purpose given when the secrets were encrypted: a part of the context in which they open. */
  readonly purpose: string;
  readonly table: string;
  readonly column: string;
  /** Tells the secrets of one account apart; null: an account has one at most. */
  readonly idColumn: string | null;
}

/**
 * The encrypted secrets in the tables of one lib, announced by `@Listens(StoredSecretsListener)`. They are counted by their
 * master keys, and re-encrypted when the operator replaces a master key.
 */
export abstract class StoredSecretsListener {
  /** The secrets to re-encrypt. */
  readonly columns: readonly SecretColumn[] = [];

  /** Lists the master keys that stored responses, which live 25 hours and are not re-encrypted, still need. */
  responseKeyIds(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}

/** SQL: the id of the master key that bytes are sealed under, after the version and the id's length. Null of bytes that are too few. */
export function keyIdSql(column: string): string {
  return `CASE WHEN length(${column}) > 1 THEN substring(${column} FROM 3 FOR get_byte(${column}, 1)) END`;
}
