import { Column, Entity, PrimaryColumn } from 'typeorm';

/** That a stored image is about to be named by a template or a pass: until then it is not deleted. */
@Entity('image_hold')
export class ImageHold {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** Key of the image in storage. */
  @PrimaryColumn({ type: 'text' })
  key!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  until!: Date;

  /** An upload, which may be named later. */
  @Column({ type: 'boolean' })
  upload!: boolean;

  @Column({ type: 'boolean', default: false })
  deleting!: boolean;
}
