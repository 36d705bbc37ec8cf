import * as passes from './index.js';

it('exports these names and no others', () => {
  expect(Object.keys(passes).sort()).toMatchInlineSnapshot(`
    [
      "ApplePassesService",
      "ChangedPassWithLinks",
      "DeletedPass",
      "DependentPasses",
      "HolderPassesService",
      "ListedPass",
      "Pass",
      "PassExists",
      "PassListQuery",
      "PassListener",
      "PassMetadataRequest",
      "PassNotFound",
      "PassPatch",
      "PassRequest",
      "PassResponse",
      "PassTransitionsService",
      "PassWithLinks",
      "PassesModule",
      "PassesOptions",
      "PassesService",
      "WebViewsService",
      "applyMergePatch",
      "mailImages",
      "passLinks",
      "toListedPass",
      "toPassResponse",
    ]
  `);
});
