import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An image that is in storage or about to be stored. */
@Entity('stored_image', { synchronize: false })
export class StoredImage {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** Key of the image in storage. */
  @PrimaryColumn({ type: 'text' })
  key!: string;

  @Column({ name: 'size_bytes', type: 'integer' })
  sizeBytes!: number;
}
