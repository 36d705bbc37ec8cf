const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** Returns the time zones to choose from, including the chosen one, even if the browser does not know it. */
export function zoneOptions(chosen: string): (readonly [zone: string, label: string])[] {
  const known = zones.includes(chosen) ? zones : [chosen, ...zones];
  return known.map((zone) => [zone, zone] as const);
}
