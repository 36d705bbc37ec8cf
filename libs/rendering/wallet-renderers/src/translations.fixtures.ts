import fc from 'fast-check';
import type { RenderPass, RenderTemplate, Translations } from './model.js';
import { anyTemplateAndPass, awkwardText } from './render.fixtures.js';
import { textsOfPass, textsOfTemplate, type TranslatableText } from './translations/translatable-texts.js';

/** Generates canonical tags, with and without scripts and regions. */
export const anyLanguage = fc.constantFrom('de', 'de-AT', 'fr', 'ar', 'he', 'ja', 'sv', 'pt-BR', 'zh-Hant', 'es-419');

const visibleText = awkwardText.filter((text) => text.trim() !== '');

/** Generates translations of some of the texts. */
function anyTranslationsOf(texts: readonly TranslatableText[]): fc.Arbitrary<Translations | null> {
  const table = fc.array(fc.option(visibleText), { minLength: texts.length, maxLength: texts.length }).map((found) =>
    Object.fromEntries(
      texts.flatMap(({ key, isChangeMessage }, index) => {
        const text = found[index];
        return text === null || text === undefined ? [] : [[key, isChangeMessage ? 'Now %@' : text]];
      }),
    ),
  );
  return fc.option(fc.dictionary(anyLanguage, table, { maxKeys: 4 }));
}

/** Generates a template and a pass with awkward content and translations. */
export const anyTranslated: fc.Arbitrary<{ template: RenderTemplate; pass: RenderPass }> = anyTemplateAndPass.chain(
  ({ template, pass }) =>
    fc
      .record({
        language: fc.option(anyLanguage),
        ofTemplate: anyTranslationsOf(textsOfTemplate(template)),
        ofPass: anyTranslationsOf(textsOfPass(template, pass)),
      })
      .map(({ language, ofTemplate, ofPass }) => ({
        template: { ...template, language, translations: ofTemplate },
        pass: { ...pass, translations: ofPass },
      })),
);
