import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TemplateFront } from './template-front.js';

/** The front of a template before a change. Messages to pass holders name the differences from the new front. */
@Entity('template_version', { synchronize: false })
export class TemplateVersion {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'template_id', type: 'text' })
  templateId!: string;

  /** The last revision of the template with this front. */
  @PrimaryColumn({ type: 'integer' })
  revision!: number;

  @Column({ type: 'jsonb' })
  front!: TemplateFront;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
