/** Formats a number with its unit: `1 image`, `12,345 images`. @param many the plural. Default: `one` with an s */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
