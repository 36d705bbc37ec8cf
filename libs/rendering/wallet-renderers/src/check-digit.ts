/**
 * Returns the check digit that follows `digits` in EAN-13, ITF-14 and the other GTINs. From the right, the digits count
 * 3, 1, 3 … times. The check digit completes their sum to a multiple of ten.
 * @see GS1 General Specifications, section 7.9.1
 */
export function checkDigit(digits: string): string {
  const weighed = [...digits].reverse().map((digit, index) => Number(digit) * (index % 2 === 0 ? 3 : 1));
  const sum = weighed.reduce((total, part) => total + part, 0);
  return String((10 - (sum % 10)) % 10);
}

/** Returns the digits with the last digit replaced by the right check digit. */
export function withCheckDigit(digits: string): string {
  const own = digits.slice(0, -1);
  return own + checkDigit(own);
}
