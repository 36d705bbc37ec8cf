import { appleRoot, appleWwdrG4, isApples } from './apple-certificates.js';
import { authorityKeyIdentifier, issued, subjectKeyIdentifier } from './certificate-der.js';
import { aChain, materialOf } from './signer.fixtures.js';

const fingerprint = (certificate: typeof appleRoot) => certificate.fingerprint256.replaceAll(':', '');

describe("Apple's bundled certificates", () => {
  it("the bundled certificates equal Apple's published ones byte for byte", () => {
    expect(fingerprint(appleWwdrG4)).toBe('EA4757885538DD8CB59FF4556F676087D83C85E70902C122E42C0808B5BCE14C');
    expect(fingerprint(appleRoot)).toBe('B0B1730ECBC7FF4505142C49F1295E6EDA6BCAED7E2C68C5BE91B5A11001F024');
  });

  it('the bundled root issued the bundled intermediate', () => {
    expect(subjectKeyIdentifier(appleWwdrG4)).toBe('5BD9FA1DE79A1A0BA399762250863E91C85B77A8');
    expect(authorityKeyIdentifier(appleWwdrG4)).toBe(subjectKeyIdentifier(appleRoot));
    expect(issued(appleRoot, appleWwdrG4)).toBe(true);
    expect(issued(appleWwdrG4, appleRoot)).toBe(false);
  });

  it("isApples returns true only for Apple's intermediates", () => {
    expect(isApples(appleWwdrG4)).toBe(true);
    expect(isApples(materialOf(aChain()).intermediate)).toBe(false);
  });
});
