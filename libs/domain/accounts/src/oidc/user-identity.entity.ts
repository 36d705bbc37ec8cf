import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user as an identity provider knows them. */
@Entity('user_identity')
export class UserIdentity {
  /** The provider's issuer address, as its ID tokens have it. */
  @PrimaryColumn({ type: 'text' })
  issuer!: string;

  /** The provider's identifier of the person, or a keyed hash of it. A provider never gives it to another person. */
  @PrimaryColumn({ type: 'text' })
  subject!: string;

  @Column({ type: 'text' })
  uid!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Tells whether `subject` is a keyed hash: the provider chooses the subject, which may be an e-mail address. */
  @Column({ type: 'boolean', default: false })
  isHashed!: boolean;
}
