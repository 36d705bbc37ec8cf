import { useEffect, useState } from 'preact/hooks';
import { segmentsOf } from '../model/screen-address.js';

/** Returns the parts of the address's fragment: `#/passes/summer` is `['passes', 'summer']`. */
export function useRoute(): readonly string[] {
  const [hash, setHash] = useState(() => location.hash);
  useEffect(() => {
    const change = () => setHash(location.hash);
    addEventListener('hashchange', change);
    // Read the address now, because it may have changed before this effect ran.
    change();
    return () => removeEventListener('hashchange', change);
  }, []);
  return segmentsOf(hash);
}

/** Opens another screen. */
export function go(address: string): void {
  location.hash = address;
}
