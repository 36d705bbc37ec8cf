/** Colours of the page around the card. Each pair used for text reaches a contrast of 4.5 (WCAG 2.2 AA); a spec measures it. */
export const palettes = {
  light: {
    page: '#f5f5f7',
    panel: '#ffffff',
    text: '#1d1d1f',
    muted: '#55555c',
    line: '#c9c9d1',
    link: '#0a4fb3',
    button: '#1d1d1f',
    buttonText: '#ffffff',
    good: '#e6f4ea',
    goodText: '#13592c',
    waiting: '#fff4d6',
    waitingText: '#6b4a00',
    ended: '#fdecea',
    endedText: '#8c1d18',
  },
  dark: {
    page: '#121214',
    panel: '#1d1d21',
    text: '#f2f2f5',
    muted: '#b4b4bd',
    line: '#46464f',
    link: '#8ab8ff',
    button: '#f2f2f5',
    buttonText: '#121214',
    good: '#0f3320',
    goodText: '#9be7b4',
    waiting: '#3a2c00',
    waitingText: '#ffdd8a',
    ended: '#3b1513',
    endedText: '#ffb4ab',
  },
} as const;

/** The three colours of a card, each as `cssColour` writes it. */
export interface CardColours {
  readonly foreground: string;
  readonly background: string;
  readonly label: string;
}

/** The whole style sheet of a page; a page carries it in one `<style>` element, whose hash its policy names. */
export function pageStyle(card: CardColours): string {
  return `
:root { color-scheme: light dark; ${variables(palettes.light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(palettes.dark)} } }
.card { --foreground: ${card.foreground}; --background: ${card.background}; --label: ${card.label}; }
${layout}${cardLayout}${mediaRules}`;
}

/** A palette as custom properties. */
export function variables(palette: Record<string, string>): string {
  return Object.entries(palette)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');
}

/** What all pages have in common. */
export const layout = `
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 24rem; margin: 0 auto; display: grid; gap: 1rem; }
h1, h2, p, dl, dd, figure { margin: 0; }
h1, h2, p, dt, dd, figcaption { overflow-wrap: anywhere; }
dd { white-space: pre-wrap; }
img, svg { display: block; max-width: 100%; }
a { color: var(--link); }
:focus-visible { outline: 3px solid currentColor; outline-offset: 3px; }
.state, .note { padding: .75rem 1rem; border-radius: .75rem; }
.state { font-weight: 600; }
.state.good { background: var(--good); color: var(--goodText); }
.state.waiting, .note { background: var(--waiting); color: var(--waitingText); }
.state.ended { background: var(--ended); color: var(--endedText); }
.button { display: block; padding: .875rem 1rem; border-radius: .75rem; text-align: center; font-weight: 600;
  text-decoration: none; background: var(--button); color: var(--buttonText); }
.button:focus-visible { outline-color: var(--text); }
.details, .elsewhere { padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--panel); }
.details h2 { font-size: 1.125rem; margin-bottom: .5rem; }
.details div + div { margin-top: .75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
.details dt { font-size: .875rem; color: var(--muted); }
.elsewhere { display: none; align-items: center; gap: 1rem; }
.elsewhere .qr { flex: none; width: 7rem; }
.qr { background: #fff; color: #000; border-radius: .5rem; }
`;

const cardLayout = `
.card { position: relative; overflow: hidden; isolation: isolate; border-radius: 1rem;
  background: var(--background); color: var(--foreground); box-shadow: 0 1px 8px rgba(0, 0, 0, .25); }
.card .background { position: absolute; inset: 0; z-index: -1; width: 100%; height: 100%; object-fit: cover; }
.card > header, .card .body, .card figure { padding: 1rem; }
.card .logo { max-width: 10rem; max-height: 3.125rem; }
.card .issuer { font-weight: 600; }
.card .banner { width: 100%; height: auto; max-height: 14rem; object-fit: cover; }
.card .body { display: grid; gap: 1rem; }
.card .head { display: flex; justify-content: space-between; gap: 1rem; }
.card .thumbnail { flex: none; width: 5.625rem; height: 5.625rem; object-fit: contain; object-position: right top; }
.card h1 { flex: 1; min-width: 0; font-size: 1.5rem; line-height: 1.25; }
.card dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem 1rem; }
.card dt { font-size: .75rem; font-weight: 600; color: var(--label); }
.card .primary dd { font-size: 1.5rem; line-height: 1.25; }
.card figure { display: grid; justify-items: center; gap: .5rem; }
.card figure .qr { width: min(100%, 15rem); }
.card figcaption { padding: .125rem .5rem; border-radius: .375rem; background: #fff; color: #000;
  font: .8125rem/1.4 ui-monospace, monospace; white-space: pre-wrap; }
`;

const mediaRules = `
@media (hover: hover) and (pointer: fine) and (min-width: 40rem) { .elsewhere { display: flex; } }
@media print {
  :root { color-scheme: light; ${variables(palettes.light)} }
  body { padding: 0; background: #fff; }
  .button, .elsewhere { display: none; }
  .card { box-shadow: none; border: 1px solid var(--line); -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .card, .details div { break-inside: avoid; }
}
`;
