/**
 * The content that `npm run seed` creates: two accounts with templates of all types, passes and members in all states,
 * a webhook and messages.
 */
const DAY_MS = 86_400_000;
const inDays = (days) => new Date(Date.now() + days * DAY_MS).toISOString();

/** The password of all seeded users. It is only for development. */
export const password = 'seeded for development';

/** Returns the accounts to create. @param images the base address of the sample images */
export function accounts(images) {
  const pictures = Object.fromEntries(['icon', 'logo', 'banner'].map((name) => [name, `${images}/${name}.png`]));
  return [roastery(pictures, images), rowingClub(pictures)];
}

function roastery(pictures, images) {
  const look = {
    ...{ issuerName: 'Seed Roastery', foregroundColor: '#fffdf7', backgroundColor: '#3b2417', labelColor: '#d9a441' },
    ...pictures,
  };
  const points = (value) => [{ key: 'points', label: 'Points', value, changeMessage: 'You now have %@ points' }];
  const seat = (value) => [{ key: 'seat', label: 'Seat', value }];
  return {
    name: 'Seed Roastery',
    admin: { email: 'ada@roastery.example', name: 'Ada Lovelace' },
    reader: { email: 'joan@roastery.example', name: 'Joan Clarke' },
    templates: {
      loyalty: {
        ...{ ...look, type: 'membership', title: 'Bean Club', primaryLabel: 'Member', fields: points('0') },
        backFields: [{ key: 'help', label: 'Help', value: 'hello@example.com' }],
      },
      'free-filter': { ...look, type: 'offer', title: 'One free filter coffee' },
      cupping: {
        ...{ ...look, type: 'event', title: 'Cupping night', backgroundColor: '#123d3a', startDate: inDays(12) },
        location: { name: 'The roastery', address: 'Domplein 1, Utrecht', latitude: 52.0907, longitude: 5.1214 },
        fields: seat('Standing'),
      },
      'barista-badge': {
        ...{ ...look, type: 'generic', title: 'Barista badge', backgroundColor: '#1f2a44', primaryLabel: 'Barista' },
        thumbnail: `${images}/icon.png`,
      },
    },
    passes: {
      loyalty: [
        { id: 'seed-ada', primaryValue: 'Ada Lovelace', fields: points('1,815') },
        { id: 'seed-mary', primaryValue: 'Mary Somerville', fields: points('120'), metadata: { crm: 'c-204' } },
        { id: 'seed-charles', primaryValue: 'Charles Babbage', fields: points('0'), voided: true },
      ],
      'free-filter': [
        { id: 'seed-open', expiry: inDays(30) },
        { id: 'seed-redeemed', expiry: inDays(30) },
        { id: 'seed-not-yet', validFrom: inDays(3), expiry: inDays(30) },
        { id: 'seed-expired', validFrom: inDays(-60), expiry: inDays(-2) },
        ...Array.from({ length: 120 }, (_, index) => ({ id: `seed-coupon-${index + 1}`, expiry: inDays(60) })),
      ],
      cupping: [
        { id: 'seed-row-1', fields: seat('Row 1, seat 4') },
        { id: 'seed-row-2', fields: seat('Row 2, seat 1') },
      ],
      'barista-badge': [{ id: 'seed-grace', primaryValue: 'Grace Hopper' }],
    },
    redeemed: { 'free-filter': ['seed-redeemed'] },
    // A webhook without an address: the service stores its events until the client or the command line fetches them.
    webhook: { name: 'CRM' },
    messages: {
      loyalty: { topic: 'new-roast', title: 'New roast', text: 'Guji from Ethiopia is on the shelf.' },
      cupping: { topic: 'doors', text: 'Doors open at seven.', sendAt: inDays(11) },
    },
  };
}

function rowingClub(pictures) {
  return {
    name: 'Seed Rowing Club',
    admin: { email: 'grace@rowing.example', name: 'Grace Hopper' },
    templates: {
      season: {
        ...{ type: 'membership', title: 'Season', issuerName: 'Seed Rowing Club', primaryLabel: 'Rower' },
        ...{ foregroundColor: '#ffffff', backgroundColor: '#0b3c6f', labelColor: '#9fd0ff', ...pictures },
      },
    },
    passes: {},
    memberships: {
      settings: {
        ...{ templateId: 'season', timeZone: 'Europe/Amsterdam' },
        reminders: [
          { key: 'month', daysBefore: 30 },
          { key: 'week', daysBefore: 7 },
        ],
      },
      members: [
        { email: 'katherine@example.com', name: 'Katherine Johnson', status: 'active', expiry: inDays(200) },
        { email: 'dorothy@example.com', name: 'Dorothy Vaughan', status: 'active', expiry: inDays(5) },
        { email: 'annie@example.com', name: 'Annie Easley', status: 'pending' },
        { email: 'mary@example.com', name: 'Mary Jackson', status: 'active', operation: 'suspendMember' },
        { email: 'melba@example.com', name: 'Melba Roy Mouton', status: 'active', operation: 'cancelMember' },
      ],
    },
  };
}
