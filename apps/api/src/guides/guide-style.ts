/** The styles of the guides, in addition to those of every page. */
export const guideStyle = `
body { padding: 0; }
.masthead { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1.5rem; padding: .75rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--panel); }
.masthead > nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-left: auto; }
.masthead a { display: inline-flex; align-items: center; gap: .625rem; min-height: 2.75rem; font-weight: 600; color: inherit; text-decoration: none; }
.masthead form { display: flex; gap: .5rem; flex: 1 1 14rem; min-width: 0; max-width: 32rem; }
.masthead .button { flex: none; width: auto; min-width: 0; padding-inline: 1rem; border: 0; font: inherit; font-weight: 600; cursor: pointer; }
.masthead input { flex: 1; min-width: 0; min-height: 2.75rem; padding: .375rem .75rem; border: 1px solid var(--muted); border-radius: .5rem; background: var(--page); color: inherit; font: inherit; }
.columns { display: grid; grid-template-columns: minmax(0, 15rem) minmax(0, 46rem); gap: 2.5rem; justify-content: center; padding: 1.5rem 1.25rem 4rem; }
.navigation nav { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow: auto; display: grid; gap: .25rem; font-size: .9375rem; }
.navigation h2 { margin: .75rem 0 0; font-size: .8125rem; color: var(--muted); }
.navigation a { display: block; padding: .25rem .5rem; border-radius: .375rem; color: inherit; text-decoration: none; }
.navigation a:hover { text-decoration: underline; }
.navigation a[aria-current] { background: var(--panel); font-weight: 600; }
main.guide { display: block; min-width: 0; max-width: none; margin: 0; line-height: 1.6; }
.guide h1 { margin: 0 0 1rem; }
.guide h2 { margin: 2.25rem 0 .75rem; font-size: 1.375rem; }
.guide h3 { margin: 1.75rem 0 .5rem; font-size: 1.125rem; }
.guide :is(p, ul, ol, pre, .scroll, blockquote) { margin: 0 0 1rem; }
.guide ul { list-style: disc; padding-left: 1.375rem; }
.guide ol { list-style: decimal; padding-left: 1.375rem; }
.guide li { margin-bottom: .375rem; }
.guide li > :is(p, pre) { margin-bottom: .5rem; }
.guide pre { padding: .875rem 1rem; overflow: auto; border: 1px solid var(--line); border-radius: .625rem; background: var(--panel); }
.guide pre code { overflow-wrap: normal; font-size: .875rem; }
.guide :not(pre) > code { padding: .0625rem .25rem; border-radius: .25rem; background: var(--panel); }
.guide img { max-width: 100%; height: auto; }
.scroll { overflow-x: auto; }
.guide table { border-collapse: collapse; font-size: .9375rem; }
.guide :is(th, td) { padding: .4375rem .75rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
.guide .right { text-align: right; font-variant-numeric: tabular-nums; }
.guide .center { text-align: center; }
.guide th { background: var(--panel); }
.guide td code { overflow-wrap: normal; white-space: nowrap; }
.guide .results { padding: 0; list-style: none; display: grid; gap: 1.25rem; }
.results a { font-weight: 600; }
.results p { margin: .125rem 0 0; overflow-wrap: anywhere; }
@media (max-width: 52rem) {
  .masthead > nav { margin-left: 0; }
  .masthead form { order: 1; flex-basis: 100%; max-width: none; }
  .columns { grid-template-columns: minmax(0, 1fr); gap: 1rem; }
  .navigation { order: 1; padding-top: 1rem; border-top: 1px solid var(--line); }
  .navigation nav { position: static; max-height: none; }
  .navigation a { padding-block: .5rem; }
}
@media print { .masthead, .navigation { display: none; } .columns { display: block; } }
`;
