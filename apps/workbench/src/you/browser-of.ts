/** The names that programs send, the most specific first, because Edge and Opera also call themselves Chrome. */
const programs = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;
const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** Names the program that opened a session: `Firefox on Linux`, or the first word of another user agent. */
export function browserOf(userAgent: string | null): string {
  if (!userAgent) return 'An unknown program';
  const nameIn = (all: readonly (readonly [RegExp, string])[]) => all.find(([form]) => form.test(userAgent))?.[1];
  const [program, system] = [nameIn(programs), nameIn(systems)];
  if (program === undefined) return userAgent.split(' ', 1)[0] ?? userAgent;
  return system === undefined ? program : `${program} on ${system}`;
}
