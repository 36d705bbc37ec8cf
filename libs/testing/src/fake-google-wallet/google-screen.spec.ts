import { googleScreen, type HeldObject } from './google-screen.js';

const localised = (en: string, de: string) => ({
  defaultValue: { language: 'en', value: en },
  translatedValues: [{ language: 'de', value: de }],
});
const path = (fieldPath: string) => ({ firstValue: { fields: [{ fieldPath }] } });
const image = (uri: string) => ({ sourceUri: { uri } });

const loyalty: HeldObject = {
  vertical: 'loyalty',
  class: {
    id: '1.club',
    issuerName: 'Harbour Hall',
    programName: 'Club',
    localizedProgramName: localised('Club', 'Verein'),
    accountNameLabel: 'Member',
    localizedAccountNameLabel: localised('Member', 'Mitglied'),
    programLogo: image('https://a.example/logo.png'),
    heroImage: image('https://a.example/hero.png'),
    classTemplateInfo: {
      cardTemplateOverride: {
        cardRowTemplateInfos: [
          { oneItem: { item: path('object.accountName') } },
          {
            twoItems: {
              startItem: path("object.textModulesData['f0']"),
              endItem: path("object.textModulesData['f1']"),
            },
          },
          { oneItem: { item: path("object.textModulesData['f2']") } },
        ],
      },
    },
  },
  object: {
    id: '1.ada',
    classId: '1.club',
    accountName: 'Ada',
    textModulesData: [
      { id: 'f0', header: 'Points', localizedHeader: localised('Points', 'Punkte'), body: '7' },
      { id: 'f1', body: 'seven', localizedBody: localised('seven', 'sieben') },
      { id: 'b0', header: 'Terms', body: 'None' },
    ],
    linksModuleData: {
      uris: [
        {
          uri: 'https://a.example/shop',
          description: 'Shop online',
          localizedDescription: localised('Shop online', 'Online einkaufen'),
        },
      ],
    },
    barcode: { type: 'QR_CODE', value: 'A-1', alternateText: 'A-1' },
    messages: [{ id: 'm', header: 'News', body: 'Open', localizedBody: localised('Open', 'Offen') }],
  },
  languages: ['en'],
};

it('a holder sees an object in their first available language, in the layout of the class', () => {
  const shared = {
    vertical: 'loyalty',
    state: 'ACTIVE',
    name: 'Harbour Hall',
    titleLabel: null,
    venue: null,
    barcode: { type: 'QR_CODE', value: 'A-1' },
    images: { logo: 'https://a.example/logo.png', wideLogo: null, hero: 'https://a.example/hero.png' },
  };
  expect(googleScreen(loyalty)).toEqual({
    ...shared,
    title: 'Club',
    rows: [
      [{ label: 'Member', value: 'Ada' }],
      [
        { label: 'Points', value: '7' },
        { label: null, value: 'seven' },
      ],
    ],
    details: [
      { label: 'Points', value: '7' },
      { label: null, value: 'seven' },
      { label: 'Terms', value: 'None' },
    ],
    links: [{ words: 'Shop online', url: 'https://a.example/shop' }],
    messages: [{ header: 'News', body: 'Open' }],
  });
  expect(googleScreen({ ...loyalty, languages: ['fr', 'de-AT'] })).toMatchObject({
    ...shared,
    title: 'Verein',
    rows: [
      [{ label: 'Mitglied', value: 'Ada' }],
      [
        { label: 'Punkte', value: '7' },
        { label: null, value: 'sieben' },
      ],
    ],
    links: [{ words: 'Online einkaufen' }],
    messages: [{ header: 'News', body: 'Offen' }],
  });
});

it("a holder sees the default texts of an object that has none of the holder's languages", () => {
  expect(googleScreen({ ...loyalty, languages: ['ja'] })).toEqual(googleScreen(loyalty));
});

it('a holder sees the details that the class lists, and the venue and title of an event', () => {
  const event: HeldObject = {
    vertical: 'eventTicket',
    class: {
      id: '1.party',
      issuerName: 'Harbour Hall',
      eventName: localised('Party', 'Fest'),
      venue: { name: localised('Hall', 'Halle'), address: localised('Pier 4', 'Kai 4') },
      dateTime: { start: '2027-06-21T20:00:00+02:00' },
      classTemplateInfo: {
        detailsTemplateOverride: {
          detailsItemInfos: [
            'class.dateTime.start',
            'class.venue.name',
            'object.ticketNumber',
            "object.linksModuleData.uris['l0']",
          ].map((each) => ({ item: path(each) })),
        },
      },
    },
    object: {
      id: '1.ada',
      classId: '1.party',
      state: 'COMPLETED',
      linksModuleData: { uris: [{ id: 'l0', uri: 'tel:+47', description: 'Call' }] },
    },
    languages: ['de'],
  };
  expect(googleScreen(event)).toEqual({
    vertical: 'eventTicket',
    state: 'COMPLETED',
    name: 'Harbour Hall',
    title: 'Fest',
    titleLabel: null,
    venue: { name: 'Halle', address: 'Kai 4' },
    rows: [],
    details: [
      { label: null, value: '2027-06-21T20:00:00+02:00' },
      { label: null, value: 'Halle' },
      { label: null, value: 'Call' },
    ],
    links: [{ words: 'Call', url: 'tel:+47' }],
    barcode: null,
    images: { logo: null, wideLogo: null, hero: null },
    messages: [],
  });
});
