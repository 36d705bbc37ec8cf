import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A link from an identity of the provider to a user. */
@Entity('user_identity', { synchronize: false })
export class UserIdentity {
  /** The provider's issuer URL, as in its ID tokens. */
  @PrimaryColumn({ type: 'text' })
  issuer!: string;

  /** The provider's identifier of the person, or a keyed hash of it. A provider never reuses it for another person. */
  @PrimaryColumn({ type: 'text' })
  subject!: string;

  @Column({ type: 'text' })
  uid!: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** True if `subject` is a keyed hash. The service hashes subjects, because they may be e-mail addresses. */
  @Column({ name: 'is_hashed', type: 'boolean', default: false })
  isHashed!: boolean;
}
