import type { EventEmitter } from 'node:events';
import { type EntityManager, QueryFailedError } from 'typeorm';
import { connectionOf } from './run-with-next.js';
import { CommitRolledBack } from './temporary-errors.js';

/** A connection of the app's own pool. Clients other than the JavaScript client of `pg` have no `connection`. */
interface OwnConnection {
  readonly connection?: EventEmitter;
}

/**
 * Watches the COMMIT of a transaction on a connection that `serviceClient` has not made. After a failed statement,
 * Postgres rolls the transaction back, and reports that only by the name of the command that it has run.
 */
export class CommitWatch {
  private command: string | null = null;

  private constructor(private readonly connection: EventEmitter) {
    connection.on('commandComplete', this.note);
  }

  /** Starts to watch the transaction, which must end next. @returns null for a connection that watches itself */
  static async of(tx: EntityManager): Promise<CommitWatch | null> {
    const client = await connectionOf(tx);
    const { connection } = client as OwnConnection;
    return connection && !('queryAfter' in client) ? new CommitWatch(connection) : null;
  }

  /** Throws the same error as a connection of `serviceClient`. */
  requireCommitted(): void {
    if (this.command === 'ROLLBACK') throw new QueryFailedError('COMMIT', [], new CommitRolledBack(null));
  }

  end(): void {
    this.connection.off('commandComplete', this.note);
  }

  private readonly note = ({ text }: { readonly text: string }): void => {
    if (text === 'COMMIT' || text === 'ROLLBACK') this.command = text;
  };
}
