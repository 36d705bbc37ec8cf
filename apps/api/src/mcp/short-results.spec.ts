import { shortened } from './short-results.js';

const pass = {
  id: 'ada',
  templateId: 'offer',
  accountId: 'acc_1',
  voided: false,
  fields: [{ key: 'seat', label: 'Seat', value: '7', changeMessage: null }],
  backFields: [],
  metadata: {},
  walletAUrl: 'https://x.example/a',
  walletBUrl: 'https://x.example/b',
  webUrl: 'https://x.example/w',
};

it('`shortened` removes known values, links and empty values from lists, but keeps false and a null change message', () => {
  const { fields } = pass;
  expect(shortened({ name: 'listPasses' }, { data: [pass], nextCursor: null }, { templateId: 'offer' })).toEqual({
    data: [{ id: 'ada', voided: false, fields }],
  });
});

it('`shortened` keeps the links of a pass that was read or issued, and a template id other than the requested one', () => {
  const { walletAUrl, walletBUrl, webUrl } = pass;
  expect(shortened({ name: 'getPass' }, pass, { templateId: 'other' })).toMatchObject({
    ...{ walletAUrl, walletBUrl, webUrl, templateId: 'offer' },
  });
  expect(shortened({ name: 'updatePass' }, pass, {})).not.toHaveProperty('webUrl');
});

it('`shortened` keeps an empty list of findings', () => {
  expect(shortened({ name: 'lintTemplate' }, { findings: [], images: [] }, {})).toEqual({ findings: [] });
});

it('`shortened` does not change linked passes and metadata', () => {
  const linkedPasses = [{ templateId: 'offer', passId: 'ben' }];
  const metadata = { accountId: '7', webUrl: 'https://shop.example', note: null };
  expect(shortened({ name: 'listPasses' }, { ...pass, linkedPasses, metadata }, { templateId: 'offer' })).toMatchObject(
    { linkedPasses, metadata },
  );
});
