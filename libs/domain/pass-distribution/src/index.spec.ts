import * as passDistribution from './index.js';

it('the package exports exactly these names', () => {
  expect(Object.keys(passDistribution).sort()).toMatchInlineSnapshot(`
    [
      "HolderPassesService",
      "MessageListsService",
      "MessagesModule",
      "MessagesOptions",
      "MessagesService",
      "PassDistributionModule",
      "PassDistributionOptions",
      "PassPagesModule",
      "PassPagesOptions",
      "WebViewsService",
      "mailImages",
    ]
  `);
});
