import { Column, Entity, PrimaryColumn } from 'typeorm';

/** That people have been told something, which they are told once. */
@Entity('notice')
export class Notice {
  /** Empty for the operator. */
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** What: `apple-certificate:<fingerprint>:<days before its end, or expired>`. */
  @PrimaryColumn({ type: 'text' })
  key!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  sentAt!: Date;
}
