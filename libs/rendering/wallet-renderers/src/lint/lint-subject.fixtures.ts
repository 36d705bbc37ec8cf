import type { RenderPass, RenderTemplate, RenderType } from '../model.js';
import { aField, aPass, aTemplate } from '../render.fixtures.js';
import type { LintContext, ExaminedImages, ExaminedPass } from '../finding.js';

/** A template and a pass in which no rule finds an error. */
export interface LintSubject {
  readonly template: RenderTemplate;
  readonly pass: ExaminedPass | null;
  readonly images: ExaminedImages | null;
  readonly context: LintContext;
}

const goodImages: ExaminedImages = {
  icon: { width: 660, height: 660 },
  logo: { width: 150, height: 150 },
  banner: { width: 1125, height: 432 },
};

const goodContext: LintContext = {
  now: new Date('2026-11-20T09:00:00.000Z'),
  webServiceUrl: 'https://passes.example.com',
  authenticationToken: 'a-token-of-more-than-16-characters',
};

/** The changes that an example makes to a valid template and pass. */
export interface Changes {
  readonly type?: RenderType;
  readonly template?: Partial<RenderTemplate>;
  readonly pass?: Omit<Partial<RenderPass>, 'code'> & { code?: string | null; thumbnailUrl?: string } & Pick<
      ExaminedPass,
      'group'
    >;
  readonly images?: ExaminedImages;
  readonly context?: LintContext;
}

/** Returns a template with a pass in which no rule finds an error, except for the changes. */
export function aLintSubject({ type = 'offer', template, pass, images, context }: Changes = {}): LintSubject {
  const event = type === 'event';
  const banner = event ? { width: 1290, height: 337 } : goodImages.banner;
  const own = type === 'generic' ? { thumbnail: { width: 270, height: 270 } } : { banner };
  const { icon, logo } = goodImages;
  return {
    template: aTemplate(type, {
      labelColor: '#ffffff',
      backFields: [aField('contact', 'Contact', 'https://harbour.example')],
      ...(event && { locations: [] }),
      ...template,
    }),
    pass: { ...aPass(type, { fields: [aField('seat', 'Seat', '14')], backFields: [] }), ...pass },
    images: { icon, logo, ...own, ...images },
    context: { ...goodContext, ...context },
  };
}

/** A document and a path in it. */
type Place = `${'template' | 'pass' | 'service'} $${string}`;

/** The examples of a rule. */
export interface Example {
  /** Changes that make the rule find an error, and the document and path of that error. */
  readonly failing: readonly (readonly [Changes, Place])[];
  /** Similar changes that the rule accepts. */
  readonly passing: readonly Changes[];
}

export const back = (value: string) => ({ template: { backFields: [aField('a', 'A', value)] } });
export const colours = (foregroundColor: string, backgroundColor: string, labelColor: string | null = '#fff') => ({
  template: { foregroundColor, backgroundColor, labelColor },
});
