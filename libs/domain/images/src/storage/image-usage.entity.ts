import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The bytes that an account has in image storage. */
@Entity('image_usage', { synchronize: false })
export class ImageUsage {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** A bigint, which JavaScript receives as text. */
  @Column({ name: 'size_bytes', type: 'bigint' })
  sizeBytes!: string;
}
