/**
 * The style of the pass itself, similar to the wallets: an offer has perforated edges, an event a notch. Texts have the
 * colours from `passColours`.
 */
export const passLayout = `
.pass { position: relative; overflow: hidden; isolation: isolate; border-radius: 1rem; background: var(--background);
  color: var(--foreground); box-shadow: 0 1px 2px rgb(0 0 0 / .2), 0 8px 24px rgb(0 0 0 / .18); }
.pass .background { position: absolute; inset: 0; z-index: -1; width: 100%; height: 100%; object-fit: cover;
  opacity: var(--picture); }
.pass header { display: flex; align-items: center; min-height: 4.25rem; padding: .75rem 1rem; }
.pass .logo { height: 2.75rem; max-width: 11rem; object-fit: contain; object-position: left center; }
[dir="rtl"] .pass .logo { object-position: right center; }
.pass .issuer { min-width: 0; font-weight: 600; font-size: 1.0625rem; line-height: 1.3; }
.pass .beside-logo { display: none; }
.pass .banner { width: 100%; height: auto; aspect-ratio: 1032 / 336; object-fit: cover; }
.pass .artwork { width: 100%; height: auto; aspect-ratio: 358 / 448; object-fit: cover; }
.pass .body { display: grid; gap: 1rem; padding: 1rem 1rem 0; }
.pass header + .body { padding-top: 0; }
.pass .head { display: flex; justify-content: space-between; gap: 1rem; }
.pass .thumbnail { flex: none; width: 5.625rem; height: 5.625rem; object-fit: contain; object-position: top; border-radius: .5rem; }
.pass h1 { flex: 1; min-width: 0; font-size: 1.5rem; font-weight: 700; }
.pass dt { font-size: .8125rem; line-height: 1.4; font-weight: 600; color: var(--label); }
.pass dd { line-height: 1.35; }
.pass .primary dd { font-size: 1.375rem; line-height: 1.25; }
.pass .fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(9rem, 100%), 1fr)); gap: .75rem 1rem; }
.pass .fields.short { grid-template-columns: repeat(3, minmax(0, 1fr)); }
.pass .fields div { min-width: 0; }
.pass .occasion { display: grid; gap: .75rem; }
.pass .occasion dd { white-space: normal; }
.pass .occasion span { white-space: pre-line; }
.pass .occasion b { display: block; font-size: 1.1875rem; line-height: 1.3; }
.pass figure { display: grid; padding: 1.25rem 1rem 1.25rem; justify-items: center; }
.pass figure .qr { width: min(100%, 13.5rem); border-end-start-radius: 0; border-end-end-radius: 0; }
.pass figcaption[dir] { width: min(100%, 13.5rem); padding: 0 .75rem .625rem; border-radius: 0 0 .5rem .5rem; background: #fff; color: #000;
  font: .8125rem/1.4 ui-monospace, Menlo, Consolas, monospace; text-align: center !important; white-space: pre-wrap; }
.pass .dense .qr, .pass .dense figcaption[dir], .pass .wide .qr, .pass .wide figcaption[dir] { width: 100%; }
.pass.ended .banner, .pass.ended .artwork, .pass.ended .logo, .pass.ended .thumbnail, .pass.ended .background { filter: grayscale(1); }
.pass.ended figure .qr svg { opacity: .25; }
.offer, .event { box-shadow: inset 0 0 0 1px rgb(128 128 128 / .2); }
.offer { border-radius: 0; padding-block: .375rem;
  --top: radial-gradient(circle at 50% 0, #0000 .3125rem, #000 .34375rem) top / 1rem 51% repeat-x;
  --bottom: radial-gradient(circle at 50% 100%, #0000 .3125rem, #000 .34375rem) bottom / 1rem 51% repeat-x;
  -webkit-mask: var(--top), var(--bottom); mask: var(--top), var(--bottom); }
.event { --notch: radial-gradient(circle at 50% -.5rem, #0000 1.5rem, #000 1.53125rem);
  -webkit-mask: var(--notch); mask: var(--notch); }
.event header { padding-top: 1.25rem; }
`;
