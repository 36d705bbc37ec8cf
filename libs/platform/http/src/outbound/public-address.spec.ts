import fc from 'fast-check';
import { isPublicAddress } from './public-address.js';

it.each(['1.1.1.1', '93.184.215.14', '172.32.0.1', '::ffff:8.8.8.8', '2606:4700:4700::1111'])(
  'isPublicAddress accepts %s',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

it.each([
  ['this host', '0.0.0.0', '0.1.2.3', '::'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1'],
  ['link-local', '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  ['site-local', 'fec0::1'],
  ['carrier network', '100.64.0.1', '100.127.255.255'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['broadcast', '255.255.255.255'],
  ['reserved', '240.0.0.1', '192.0.0.8', '198.18.0.1', '192.88.99.1'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['IPv4-mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:169.254.169.254'],
  ['IPv4-compatible', '::127.0.0.1', '::7f00:1'],
  ['IPv4-translated', '::ffff:0:127.0.0.1'],
  ['NAT64', '64:ff9b::127.0.0.1', '64:ff9b:1::a00:1', '64:ff9b::8.8.8.8'],
  ['6to4', '2002:7f00:1::', '2002:a00:1::1'],
  ['Teredo', '2001:0:53aa:64c::1'],
  ['discard', '100::1'],
  ['host of a cloud', '168.63.129.16', '::ffff:168.63.129.16'],
  ['not an IP address', '', 'localhost', '1.2.3', 'example.com', '1.2.3.4.5', '[::1]', ' 8.8.8.8'],
])('isPublicAddress rejects addresses of the group «%s»', (_, ...addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});

it('isPublicAddress gives an IPv4 address and its IPv4-mapped form the same result', () => {
  fc.assert(fc.property(fc.ipV4(), (address) => isPublicAddress(`::ffff:${address}`) === isPublicAddress(address)));
});

it('isPublicAddress rejects every address of a private or reserved block', () => {
  const blocks = fc.constantFrom('10.', '127.', '0.', '169.254.', '192.168.', '100.100.', '224.', '240.');
  const octet = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(blocks, octet, octet, octet, (block, ...rest) => {
      const address = (block + rest.join('.')).split('.').slice(0, 4).join('.');
      return !isPublicAddress(address);
    }),
  );
});
