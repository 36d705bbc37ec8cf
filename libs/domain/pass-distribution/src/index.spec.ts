import * as passDistribution from './index.js';

it('exports these names and no others', () => {
  expect(Object.keys(passDistribution).sort()).toMatchInlineSnapshot(`
    [
      "HolderPassesService",
      "PassDistributionModule",
      "PassDistributionOptions",
      "PassPagesModule",
      "PassPagesOptions",
      "WebViewsService",
      "mailImages",
    ]
  `);
});
