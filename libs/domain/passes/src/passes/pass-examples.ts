import type { PassPatch, PassRequest } from '../content/pass.dto.js';

type Examples<Body> = Record<string, { summary: string; value: Body }>;

/** One example request body for each type of template. It fits the template of this type in the template examples. */
export const passRequestExamples: Examples<PassRequest> = {
  offer: {
    summary: 'A pass of an offer',
    value: {
      expiry: '2030-12-31T23:00:00.000Z',
      fields: [{ key: 'discount', label: 'Discount', value: '30%' }],
      metadata: { order: 'A-1042' },
    },
  },
  event: {
    summary: 'A pass of an event',
    value: {
      fields: [{ key: 'seat', label: 'Seat', value: 'Row 2, 7' }],
      backFields: [{ key: 'help', label: 'Help', value: 'https://example.com/help' }],
    },
  },
  labelled: {
    summary: 'A pass of a generic template or a membership',
    value: { primaryValue: 'Ada Lovelace', validFrom: '2026-01-01T00:00:00.000Z' },
  },
};

export const passPatchExamples: Examples<PassPatch> = {
  expiry: { summary: 'A new expiry', value: { expiry: '2031-06-30T22:00:00.000Z' } },
  cleared: { summary: 'No expiry, and a note', value: { expiry: null, metadata: { tier: 3 } } },
};
