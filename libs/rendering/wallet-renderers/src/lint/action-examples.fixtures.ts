import type { RenderAction } from '../model.js';
import type { Changes, Example } from './lint-subject.fixtures.js';

const shop: RenderAction = { type: 'shop', url: 'https://harbour.example/shop' };
const call: RenderAction = { type: 'call', url: 'tel:+49 (40) 123-4' };
const place: RenderAction = { type: 'place', url: 'https://maps.apple.com/place?place-id=I63802885C8189B2B&name=Hall' };
const ofTemplate = (...actions: RenderAction[]): Changes => ({ template: { actions } });
const ofPass = (...actions: RenderAction[]): Changes => ({ pass: { actions } });

/** Examples for the rules on actions. */
export const actionExamples: Record<string, Example> = {
  'action-address': {
    failing: [
      ...[
        ...['http://harbour.example/', 'https://', 'harbour.example', 'javascript:alert(1)', 'tel:+49401234', ''],
        ...['https://ada@harbour.example/', 'https://ada:secret@harbour.example/', 'https://:secret@harbour.example/'],
      ].map((url) => [ofTemplate({ type: 'shop', url }), 'template $.actions[0].url'] as const),
      ...[
        ...['https://maps.apple.com/?q=Hall', 'https://maps.apple.com/place?place-id=', 'https://maps.apple/p/abc'],
        ...['https://maps.apple.com.example/place?place-id=I63802885C8189B2B', 'tel:+49401234'],
      ].map((url) => [ofTemplate({ type: 'place', url }), 'template $.actions[0].url'] as const),
      ...['https://harbour.example/', '+49401234', 'tel:', 'tel:+', 'tel:HARBOUR'].map(
        (url) => [ofPass(shop, { type: 'call', url }), 'pass $.actions[1].url'] as const,
      ),
    ],
    passing: [
      ofTemplate(shop, call),
      ofTemplate(place),
      ofPass(call),
      ofPass({ type: 'call', url: 'tel://+49401234' }),
      ofPass(),
    ],
  },
  'too-many-actions': {
    failing: [
      [ofTemplate(shop, call, { type: 'order', url: shop.url }), 'template $.actions'],
      [ofPass(shop, call, { type: 'order', url: shop.url }), 'pass $.actions'],
    ],
    passing: [ofTemplate(shop, call)],
  },
  'same-actions': {
    failing: [
      [ofTemplate(shop, { ...shop, url: 'https://harbour.example/books' }), 'template $.actions[1].type'],
      [ofPass(shop, shop), 'pass $.actions[1].type'],
    ],
    passing: [ofTemplate(shop, call), { ...ofTemplate(shop), ...ofPass(shop) }],
  },
};
