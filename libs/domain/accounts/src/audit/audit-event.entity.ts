import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An action in an account. The database rejects changes of events, and deletes only whole months. */
@Entity('audit_event', { synchronize: false })
export class AuditEvent {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  at!: Date;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'actor_kind', type: 'text' })
  actorKind!: 'user' | 'apiKey' | 'system';

  /** The user's uid or the API key's id; null for the system. */
  @Column({ name: 'actor_id', type: 'text', nullable: true })
  actorId!: string | null;

  /** `<noun>.<past participle>`, such as `user.removed`. */
  @Column({ type: 'text' })
  action!: string;

  @Column({ name: 'target_kind', type: 'text' })
  targetKind!: string;

  @Column({ name: 'target_id', type: 'text', nullable: true })
  targetId!: string | null;

  @Column({ type: 'text', nullable: true })
  ip!: string | null;

  @Column({ name: 'request_id', type: 'text', nullable: true })
  requestId!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  before!: object | null;

  @Column({ type: 'jsonb', nullable: true })
  after!: object | null;
}
