import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A lease of a stored image that a template or a pass is about to show. It prevents the deletion of the image. */
@Entity('image_hold', { synchronize: false })
export class ImageLease {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** Key of the image in storage. */
  @PrimaryColumn({ type: 'text' })
  key!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  until!: Date;

  /** True for an upload, which a template or pass may show later. */
  @Column({ type: 'boolean' })
  upload!: boolean;

  @Column({ type: 'boolean', default: false })
  deleting!: boolean;
}
