/** Provides benchmarks with the content of packages: templates, passes, images and a certificate. */
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDevelopmentChain } from '@passwright/signer';
import sharp from 'sharp';

/**
 * The number of bytes of each image. S is a template with icon and logo. L also has a strip. Each image has three
 * resolutions.
 */
export const S = { icon: 1_500, 'icon@2x': 4_000, 'icon@3x': 8_000, logo: 3_000, 'logo@2x': 8_000, 'logo@3x': 13_000 };
export const L = { ...S, strip: 60_000, 'strip@2x': 100_000, 'strip@3x': 160_000 };

export async function signingMaterial() {
  const dir = mkdtempSync(join(tmpdir(), 'passwright-bench-'));
  const pem = await loadDevelopmentChain({ kind: 'development', dir: join(dir, 'development-chain') }, new Date());
  rmSync(dir, { recursive: true });
  return {
    pem,
    certificate: new X509Certificate(pem.certificatePem),
    intermediate: new X509Certificate(pem.intermediatePem),
    privateKey: createPrivateKey(pem.privateKeyPem),
  };
}

/** Draws images of noise. Noise cannot be compressed, so the number of pixels determines the size of the PNG. */
export async function images(sizes) {
  return Promise.all(
    Object.entries(sizes).map(async ([name, bytes]) => {
      const side = Math.round(Math.sqrt(bytes / 3));
      const raw = { width: side, height: side, channels: /** @type {const} */ (3) };
      return {
        name: `${name}.png`,
        data: await sharp(randomBytes(side * side * 3), { raw })
          .png()
          .toBuffer(),
      };
    }),
  );
}

export const types = /** @type {const} */ (['membership', 'offer', 'event', 'generic']);

/**
 * Returns the input for rendering a package: a template of the type, and a pass with its own serial number and token.
 * @param {number} serial
 * @param {(typeof types)[number]} type
 * @returns the arguments of `applePassJson`
 */
export function renderedFrom(serial, type = 'membership') {
  const field = (key, label, value) => ({ key, label, value });
  const hasPrimary = type === 'membership' || type === 'generic';
  const place = { name: 'Harbour Hall', address: 'Quay 1, Hamburg', latitude: 53.5511, longitude: 9.9937 };
  const template = {
    type,
    title: 'Harbour Coffee Club',
    issuerName: 'Harbour Coffee',
    foregroundColor: '#ffffff',
    backgroundColor: '#22303c',
    labelColor: 'rgb(200, 210, 220)',
    sharingProhibited: true,
    codeFormat: /** @type {const} */ ('qr'),
    fields: [field('tier', 'Tier', 'Silver'), field('since', 'Member since', '2019'), field('points', 'Points', '0')],
    backFields: [
      field('terms', 'Terms', 'One drink of your choice is free for every ten points; points are kept for a year.'),
      field('help', 'Help', 'https://harbour.example/help'),
    ],
    locations: [place],
    startDate: type === 'event' ? new Date('2036-06-21T18:00:00.000Z') : null,
    location: type === 'event' ? place : null,
    primaryLabel: hasPrimary ? 'Member' : null,
    archivedAt: null,
  };
  const pass = {
    serialNumber: `4fQz8LwXk2bN${String(serial).padStart(10, '0')}`,
    code: `HH-2026-${String(serial).padStart(6, '0')}`,
    validFrom: null,
    expiresAt: new Date('2036-12-31T23:00:00.000Z'),
    expiredAt: null,
    voidedAt: null,
    redeemedAt: null,
    primaryValue: hasPrimary ? 'Zoë Müller' : null,
    fields: [field('points', 'Points', String(serial))],
    backFields: [],
    locations: [],
  };
  const context = {
    passTypeIdentifier: 'pass.dev.passwright',
    teamIdentifier: 'DEV0TEAM01',
    webServiceUrl: 'https://passes.example.com',
    authenticationToken: String(serial).padStart(43, 'x'),
  };
  return /** @type {const} */ ([template, pass, context]);
}
