import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An action in an account. The database rejects changes to it and deletes it only with its whole month. */
@Entity('audit_event')
export class AuditEvent {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  at!: Date;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  actorKind!: 'user' | 'apiKey' | 'system';

  /** The user's uid or the API key's id; null for the system. */
  @Column({ type: 'text', nullable: true })
  actorId!: string | null;

  /** `<noun>.<past participle>`, such as `user.removed`. */
  @Column({ type: 'text' })
  action!: string;

  @Column({ type: 'text' })
  targetKind!: string;

  @Column({ type: 'text', nullable: true })
  targetId!: string | null;

  @Column({ type: 'text', nullable: true })
  ip!: string | null;

  @Column({ type: 'text', nullable: true })
  requestId!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  before!: object | null;

  @Column({ type: 'jsonb', nullable: true })
  after!: object | null;
}
