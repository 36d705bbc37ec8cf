import { aLocation, aPass, aTemplate, renderTypes } from '../render.fixtures.js';
import type { RenderMessage, RenderPass } from '../model.js';
import { appleFields } from './pass-fields.js';

const gate: RenderMessage = { title: 'Gate change', text: 'Use gate C.', sentAt: '2026-11-20T10:00:00.000Z' };
const doors: RenderMessage = { title: null, text: 'Doors open at six.', sentAt: '2026-11-19T23:30:00.000Z' };

const back = (messages: RenderPass['messages']) =>
  appleFields(aTemplate('offer'), aPass('offer', { messages })).backFields.filter(({ key }) => key.startsWith('_'));

describe('the back fields of messages', () => {
  it.each(renderTypes)('a pass of type %s whose messages are null or undefined has no message fields', (type) => {
    const before = JSON.stringify(appleFields(aTemplate(type), aPass(type)));
    for (const messages of [null, undefined]) {
      expect(JSON.stringify(appleFields(aTemplate(type), aPass(type, { messages })))).toBe(before);
    }
  });

  it('a pass with an empty list of messages already has the field that announces the first message', () => {
    expect(back([])).toEqual([{ key: '_message', label: 'Message', value: '–', changeMessage: '%@' }]);
  });

  it('the newest message is in a field that announces changes, and earlier messages are in a silent field', () => {
    expect(back([gate])).toEqual([
      { key: '_message', label: 'Message', value: 'Gate change: Use gate C.', changeMessage: '%@' },
    ]);
    expect(back([gate, doors, gate])).toEqual([
      { key: '_message', label: 'Message', value: 'Gate change: Use gate C.', changeMessage: '%@' },
      {
        key: '_messages',
        label: 'Earlier messages',
        value: '2026-11-20 · Doors open at six.\n\n2026-11-20 · Gate change: Use gate C.',
      },
    ]);
  });

  const sydney = aLocation({ latitude: -33.86, longitude: 151.21 });
  const honolulu = aLocation({ latitude: 21.3, longitude: -157.86 });
  it.each([
    ['of its venue', 'event', { location: sydney }, [], '2026-11-20T20:00:00.000Z', '2026-11-21'],
    ['that its places share', 'offer', { locations: [honolulu] }, [], '2026-11-21T03:00:00.000Z', '2026-11-20'],
    ['of its own place', 'offer', { locations: [] }, [sydney], '2026-11-20T20:00:00.000Z', '2026-11-21'],
    ['UTC without a place', 'offer', { locations: [] }, [], '2026-11-20T20:00:00.000Z', '2026-11-20'],
    ['UTC between two zones', 'offer', { locations: [honolulu] }, [sydney], '2026-11-20T20:00:00.000Z', '2026-11-20'],
  ] as const)('an earlier message has its day in the time zone %s, as on the page', (...given) => {
    const [, type, changes, locations, sentAt, day] = given;
    const pass = aPass(type, { messages: [gate, { ...doors, sentAt }], locations });
    const [, earlier] = appleFields(aTemplate(type, changes), pass).backFields;
    expect(earlier?.value).toBe(`${day} · Doors open at six.`);
  });

  it('the labels of message fields are in the language of the template', () => {
    const german = appleFields(aTemplate('offer', { language: 'de' }), aPass('offer', { messages: [gate, doors] }));
    expect(german.backFields.slice(0, 2).map(({ label }) => label)).toEqual(['Nachricht', 'Frühere Nachrichten']);
  });

  it('messages come before the other back fields', () => {
    const [first] = appleFields(aTemplate('offer'), aPass('offer', { messages: [gate] })).backFields;
    expect(first?.key).toBe('_message');
  });
});
