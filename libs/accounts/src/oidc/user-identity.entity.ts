import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user as an identity provider knows them. */
@Entity('user_identity')
export class UserIdentity {
  /** The provider's issuer address, as its ID tokens have it. */
  @PrimaryColumn({ type: 'text' })
  issuer!: string;

  /** Who it is at that provider: never used again for another person there. */
  @PrimaryColumn({ type: 'text' })
  subject!: string;

  @Column({ type: 'text' })
  uid!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
