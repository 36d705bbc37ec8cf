import fc from 'fast-check';
import { clientAddress } from './client-address.js';

describe('the client address by which limits count', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:FFFF:C000:0207', '192.0.2.7'],
    ['0000::ffff:192.0.2.7', '192.0.2.7'],
    ['0:0:0:0:1:ffff:c000:207', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['1:2:3::192.0.2.33', '1:2:3:0::/64'],
    [undefined, 'unknown'],
    ['what a proxy made up', 'unknown'],
  ])('clientAddress turns %s into %s', (ip, address) => {
    expect(clientAddress(ip)).toBe(address);
  });

  it('clientAddress returns the same result for all spellings of an IPv6 address and for its whole /64 network', () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
    const groups = fc.array(group, { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, groups, (one, other) => {
        const sameNetwork = [...one.slice(0, 4), ...other.slice(4)];
        const inFull = sameNetwork.map((value) => value.toString(16).toUpperCase().padStart(4, '0')).join(':');
        const shortest = new URL(`http://[${one.map((value) => value.toString(16)).join(':')}]`).hostname.slice(1, -1);
        expect(clientAddress(inFull)).toBe(clientAddress(shortest));
      }),
    );
  });
});
