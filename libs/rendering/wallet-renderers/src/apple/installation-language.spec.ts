import { googleObject } from '../google/google-object.js';
import { anAppleContext, aPass, aTemplate } from '../render.fixtures.js';
import { applePassJson } from './pass-json.js';
import { localisedPass } from './pass-strings.js';

const validFrom = new Date('2026-11-01T00:00:00.000Z');
const context = anAppleContext({ language: 'de', hasArtwork: true });
const labels = (fields: readonly { label?: string }[]) => fields.map(({ label }) => label);

describe('a template that names no language', () => {
  it('pass.json labels the fields of the service in the language of the installation', () => {
    const { eventTicket } = applePassJson(aTemplate('event'), aPass('event', { validFrom }), context);
    expect(labels(eventTicket!.secondaryFields)).toEqual(['Datum', 'Ort']);
    expect(eventTicket!.backFields[0]).toMatchObject({ key: '_validFrom', label: 'Gültig ab' });
    const { posterGeneric } = applePassJson(aTemplate('offer'), aPass('offer', { validFrom, messages: [] }), context);
    expect(labels(posterGeneric!.backFields).slice(0, 2)).toEqual(['Nachricht', 'Gültig ab']);
  });

  it('pass.json labels them in the language of a template that names one, and in English without any', () => {
    const labelsIn = (language: string | null, changes: object) =>
      labels(
        applePassJson(aTemplate('event', { language }), aPass('event'), { ...context, ...changes }).eventTicket!
          .secondaryFields,
      );
    expect(labelsIn('fr', {})).toEqual(['Date', 'Lieu']);
    expect(labelsIn(null, { language: undefined })).toEqual(['Date', 'Place']);
    expect(labelsIn(null, { language: 'sv' })).toEqual(['Date', 'Place']);
  });

  it('a package has a string table in the language of the installation beside those of the translations', () => {
    const template = aTemplate('event', { translations: { en: { title: 'Autumn show' } } });
    const { json, files } = localisedPass(template, aPass('event'), context);
    expect(labels(json.eventTicket!.secondaryFields)).toEqual(['Datum', 'Ort']);
    expect(files.map(({ name }) => name)).toEqual(['de.lproj/pass.strings', 'en.lproj/pass.strings']);
    const [german, english] = files.map(({ data }) => Buffer.from(data).toString('utf8'));
    expect(german).toContain('"Datum" = "Datum";\n');
    expect(english).toContain('"Datum" = "Date";\n');
  });

  it('an object at Google labels the issuer in the language of the installation', () => {
    const ids = { objectId: '3388000000012345678.a', classId: '3388000000012345678.c' };
    const now = new Date(0);
    const { body } = googleObject(aTemplate('generic'), aPass('generic'), ids, {
      ...{ language: 'de', images: {}, callbackUrl: null, now },
    });
    expect(body['textModulesData']).toContainEqual({ id: 'issuer', header: 'Ausgestellt von', body: 'Harbour Hall' });
  });
});
