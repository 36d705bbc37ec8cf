/** Formats a number: `12,345`. */
export function count(number: number): string {
  return number.toLocaleString('en-GB');
}

/** Formats a number with its unit: `1 row`, `12,345 rows`. @param many the plural. Default: `one` with an s */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Formats a number of passes: `1 pass`, `12,345 passes`. */
export const countedPasses = (number: number): string => counted(number, 'pass', 'passes');

/** Formats a duration: `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
