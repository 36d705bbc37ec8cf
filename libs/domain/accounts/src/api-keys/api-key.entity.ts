import type { Scope } from '@passwright/core';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A credential with which a program acts for an account. */
@Entity('api_key', { synchronize: false })
export class ApiKey {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** The part of the key after `pw_live_` or `pw_test_`. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  /** SHA-256 of the secret. */
  @Column({ name: 'secret_hash', type: 'bytea' })
  secretHash!: Buffer;

  @Column({ type: 'text', array: true })
  scopes!: Scope[];

  /** The tools that agents may call with the key; null: all tools. */
  @Column({ type: 'text', array: true, nullable: true })
  tools!: string[] | null;

  /** True if the key works only at `/mcp`, where a person confirms each change of an existing object. */
  @Column({ type: 'boolean', default: false })
  supervised!: boolean;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** When the key was last used, to the minute. */
  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
