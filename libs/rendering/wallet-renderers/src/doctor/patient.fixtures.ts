import type { RenderPass, RenderTemplate, RenderType } from '../model.js';
import { aField, aPass, aTemplate } from '../render.fixtures.js';
import type { DoctorContext, ExaminedImages, ExaminedPass } from './finding.js';

/** What the doctor is given: a template and a pass of it without a fault, but for what an example changes. */
export interface Patient {
  readonly template: RenderTemplate;
  readonly pass: ExaminedPass | null;
  readonly images: ExaminedImages | null;
  readonly context: DoctorContext;
}

export const goodImages: ExaminedImages = {
  icon: { width: 114, height: 114 },
  logo: { width: 150, height: 150 },
  banner: { width: 1125, height: 432 },
};

const goodContext: DoctorContext = {
  now: new Date('2026-11-20T09:00:00.000Z'),
  webServiceUrl: 'https://passes.example.com',
  authenticationToken: 'a-token-of-more-than-16-characters',
};

/** What an example changes of a good patient. */
export interface Changes {
  readonly type?: RenderType;
  readonly template?: Partial<RenderTemplate>;
  readonly pass?: Partial<RenderPass> & { thumbnailUrl?: string };
  readonly images?: ExaminedImages;
  readonly context?: DoctorContext;
}

/** A template with a pass in which no rule finds anything, but for the changes. */
export function aPatient({ type = 'offer', template, pass, images, context }: Changes = {}): Patient {
  const event = type === 'event';
  const banner = event ? { width: 1125, height: 294 } : goodImages.banner;
  const own = type === 'generic' ? { thumbnail: { width: 270, height: 270 } } : { banner };
  const { icon, logo } = goodImages;
  return {
    template: aTemplate(type, {
      labelColor: '#ffffff',
      backFields: [aField('contact', 'Contact', 'https://harbour.example')],
      ...(event && { locations: [] }),
      ...template,
    }),
    pass: aPass(type, { fields: [aField('seat', 'Seat', '14')], backFields: [], ...pass }),
    images: { icon, logo, ...own, ...images },
    context: { ...goodContext, ...context },
  };
}

/** A document, and where in it. */
type Place = `${'template' | 'pass' | 'service'} $${string}`;

/** Of one rule. */
export interface Example {
  /** In which the rule finds something, and where. */
  readonly failing: readonly (readonly [Changes, Place])[];
  /** Close to them, in which it finds nothing. */
  readonly passing: readonly Changes[];
}

export const back = (value: string) => ({ template: { backFields: [aField('a', 'A', value)] } });
export const colours = (foregroundColor: string, backgroundColor: string, labelColor: string | null = '#fff') => ({
  template: { foregroundColor, backgroundColor, labelColor },
});
