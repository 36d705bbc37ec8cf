/**
 * Distributes values over places, such as the parameters named `limit` of all operations. Each place gets at least
 * `least` values, and places of the same kind together get all of them. All values at every place would take too long.
 * @param kindOf returns the kind of a place; places of one kind have the same values
 */
export function deal<Place, Value>(
  places: readonly Place[],
  least: number | ((place: Place) => number),
  kindOf: (place: Place) => string,
  valuesOf: (place: Place) => readonly Value[],
): [Place, Value][] {
  const sizes = new Map<string, number>();
  for (const place of places) sizes.set(kindOf(place), (sizes.get(kindOf(place)) ?? 0) + 1);
  const dealt = new Map<string, number>();
  return places.flatMap((place) => {
    const kind = kindOf(place);
    const values = valuesOf(place);
    const from = dealt.get(kind) ?? 0;
    const few = typeof least === 'number' ? least : least(place);
    const count = Math.min(values.length, Math.max(few, Math.ceil(values.length / (sizes.get(kind) ?? 1))));
    dealt.set(kind, from + count);
    return Array.from({ length: count }, (_, n): [Place, Value] => [
      place,
      values[(from + n) % values.length] as Value,
    ]);
  });
}
