import { Column, Entity, PrimaryColumn } from 'typeorm';
import type {
  CodeFormat,
  RenderAction,
  RenderField,
  RenderLocation,
  RenderTemplate,
  RenderType,
  Translations,
} from '@passwright/wallet-renderers';
import type { LocalisedImages, PreparedImages } from '@passwright/images';

/** A template: the look of its passes, and the content that all of them share. Renderers read this entity directly. */
@Entity('template', { synchronize: false })
export class Template implements RenderTemplate {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** The id that the caller chose. It is unique in the account. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  type!: RenderType;

  @Column({ type: 'text' })
  title!: string;

  @Column({ name: 'issuer_name', type: 'text' })
  issuerName!: string;

  /** Colours are stored as the caller sent them; each renderer converts them. */
  @Column({ name: 'foreground_color', type: 'text' })
  foregroundColor!: string;

  @Column({ name: 'background_color', type: 'text' })
  backgroundColor!: string;

  @Column({ name: 'label_color', type: 'text', nullable: true })
  labelColor!: string | null;

  @Column({ type: 'jsonb' })
  images!: PreparedImages;

  /** The images in other languages; null without any. */
  @Column({ name: 'localised_images', type: 'jsonb', nullable: true })
  localisedImages?: LocalisedImages | null;

  @Column({ name: 'sharing_prohibited', type: 'boolean' })
  sharingProhibited!: boolean;

  @Column({ name: 'code_format', type: 'text', default: 'qr' })
  codeFormat!: CodeFormat;

  @Column({ type: 'jsonb' })
  locations!: RenderLocation[];

  @Column({ type: 'jsonb' })
  fields!: RenderField[];

  @Column({ name: 'back_fields', type: 'jsonb' })
  backFields!: RenderField[];

  @Column({ name: 'start_date', type: 'timestamptz', precision: 3, nullable: true })
  startDate!: Date | null;

  /**
   * The start of an event as a date such as `2027-06-21`, if the caller sent no time of day. `startDate` is then the
   * beginning of that day.
   */
  @Column({ name: 'start_day', type: 'text', nullable: true })
  startDay!: string | null;

  @Column({ name: 'end_date', type: 'timestamptz', precision: 3, nullable: true })
  endDate!: Date | null;

  @Column({ name: 'doors_open', type: 'timestamptz', precision: 3, nullable: true })
  doorsOpen!: Date | null;

  @Column({ type: 'jsonb', nullable: true })
  location!: RenderLocation | null;

  @Column({ name: 'primary_label', type: 'text', nullable: true })
  primaryLabel!: string | null;

  /** The language of the template's own texts; null for the language of the installation. */
  @Column({ type: 'text', nullable: true })
  language!: string | null;

  /** The texts in other languages. An empty object if they were removed, so that wallets remove them too. */
  @Column({ type: 'jsonb', nullable: true })
  translations!: Translations | null;

  /** Null if the template has no actions. */
  @Column({ type: 'jsonb', nullable: true })
  actions!: RenderAction[] | null;

  @Column({ name: 'archived_at', type: 'timestamptz', precision: 3, nullable: true })
  archivedAt!: Date | null;

  /** The revision of the template. It increments with every change, including archiving and un-archiving. */
  @Column({ type: 'integer' })
  revision!: number;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /**
   * The time of the last change. It is at least a second after the previous change, and after all earlier changes of
   * the template's passes.
   */
  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
