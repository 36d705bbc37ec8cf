import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An open circuit. A module that uses `CircuitBreaker` registers this entity with `TypeOrmModule.forFeature`. */
@Entity('circuit_breaker', { synchronize: false })
export class CircuitRow {
  /** The account whose calls the receiver rejects; empty if it rejects the credential for every account. */
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  fingerprint!: string;

  @Column({ type: 'text' })
  receiver!: string;

  /** The reason from the receiver, or a sentence about the problem. */
  @Column({ type: 'text' })
  reason!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  since!: Date;

  /** The time of the next trial. */
  @Column({ name: 'retry_at', type: 'timestamptz', precision: 3 })
  retryAt!: Date;
}
