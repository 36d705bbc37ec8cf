/** A column of encrypted secrets, declared by the lib that owns the table. */
export interface SecretColumn {
  /** The purpose with which the secrets were encrypted. Secrets can be decrypted only with the same purpose. */
  readonly purpose: string;
  readonly table: string;
  readonly column: string;
  /** The column that distinguishes the secrets of one account; null if an account has at most one. */
  readonly idColumn: string | null;
}

/**
 * Declares the encrypted secrets in the tables of one lib. Implementations are marked
 * `@Listens(StoredSecretsListener)`. The service counts these secrets by master key, and re-encrypts them when the
 * operator replaces a master key.
 */
export abstract class StoredSecretsListener {
  /** The secrets to re-encrypt. */
  readonly columns: readonly SecretColumn[] = [];

  /**
   * Lists the master keys that stored responses still need. Stored responses live 25 hours and are not re-encrypted.
   */
  responseKeyIds(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}

/**
 * Returns SQL that reads the id of the master key from encrypted bytes. The result is null if there are too few bytes.
 */
export function keyIdSql(column: string): string {
  return `CASE WHEN length(${column}) > 1 THEN substring(${column} FROM 3 FOR get_byte(${column}, 1)) END`;
}
