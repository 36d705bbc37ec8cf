import { sampleUrl } from '@passwright/images';
import type { TemplateRequest } from './template.dto.js';

const look = {
  foregroundColor: '#ffffff',
  backgroundColor: '#1f2a6b',
  labelColor: '#ffd479',
  icon: sampleUrl('icon'),
  logo: sampleUrl('logo'),
  banner: sampleUrl('banner'),
};

/** An example of a request body for each type of template. A new installation accepts each of them unchanged. */
export const templateExamples: Record<
  NonNullable<TemplateRequest['type']>,
  { summary: string; value: TemplateRequest }
> = {
  offer: {
    summary: 'Offer: a coupon',
    value: {
      type: 'offer',
      ...look,
      title: '20% off your next visit',
      issuerName: 'Sundown Coffee',
      fields: [{ key: 'discount', label: 'Discount', value: '20%' }],
      backFields: [{ key: 'terms', label: 'Terms', value: 'https://example.com/terms' }],
    },
  },
  event: {
    summary: 'Event: a ticket',
    value: {
      type: 'event',
      ...look,
      title: 'Midsummer Concert',
      issuerName: 'Oslo Philharmonic',
      startDate: '2027-06-21T18:00:00.000Z',
      location: { name: 'City Hall', address: 'Rådhusplassen 1, 0037 Oslo', latitude: 59.9122, longitude: 10.7334 },
      fields: [
        { key: 'seat', label: 'Seat', value: 'Row 4, 12' },
        { key: 'door', label: 'Doors', value: '19:00' },
      ],
    },
  },
  generic: {
    summary: 'Generic: a gift card',
    value: {
      type: 'generic',
      ...look,
      thumbnail: sampleUrl('thumbnail'),
      title: 'Gift card',
      issuerName: 'Sundown Coffee',
      primaryLabel: 'Balance',
      sharingProhibited: true,
    },
  },
  membership: {
    summary: 'Membership: a club card',
    value: {
      type: 'membership',
      ...look,
      background: sampleUrl('background'),
      title: 'Sundown Club',
      issuerName: 'Sundown Coffee',
      primaryLabel: 'Member',
      locations: [
        {
          name: 'Sundown Coffee',
          address: 'Karl Johans gate 1, 0154 Oslo',
          latitude: 59.911,
          longitude: 10.7502,
          relevantText: 'Show your card at the counter',
        },
      ],
      fields: [{ key: 'tier', label: 'Tier', value: 'Gold' }],
    },
  },
};
