import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An image that is in storage or about to be stored. */
@Entity('stored_image')
export class StoredImage {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** Key of the image in storage. */
  @PrimaryColumn({ type: 'text' })
  key!: string;

  @Column({ type: 'integer' })
  sizeBytes!: number;
}
