// @ts-check
/**
 * Opens one PKCS#12 file or one encrypted private key in a separate thread. A malicious input could make the key
 * derivation endless, so the parent can end the thread. This is plain JavaScript, so that it runs both with the sources
 * and with the build.
 *
 * workerData: { pkcs12: Uint8Array } or { privateKeyPem: string }, each with { passphrase: string, maxIterations:
 * number }. Posts { certificates, privateKeys }, lists of DER (X.509, PKCS#8), or { problem: 'passphrase' |
 * 'iterations'
 * | 'unreadable', detail }.
 */
const { createPrivateKey, pbkdf2Sync } = require('node:crypto');
const { setPriority } = require('node:os');
const { parentPort, workerData } = require('node:worker_threads');
const forge = require('node-forge');

class TooManyIterations extends Error {}

// On Linux each thread has its own priority. This thread gets the lowest, so that it does not slow down requests.
if (process.platform === 'linux') setPriority(19);
limitKeyDerivation(workerData.maxIterations);
keepAsn1AsItIs();
parentPort?.postMessage(outcome());

function outcome() {
  try {
    return workerData.pkcs12 ? openPkcs12(workerData) : openPrivateKey(workerData);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    if (error instanceof TooManyIterations) return { problem: 'iterations', detail };
    return { problem: isWrongPassphrase(detail) ? 'passphrase' : 'unreadable', detail };
  }
}

function openPkcs12({ pkcs12, passphrase }) {
  const pfx = forge.asn1.fromDer(binary(pkcs12), false);
  // A verified MAC proves that the passphrase is right, so unreadable content is damaged.
  const hasMac = pfx.value.length > 2;
  if (!hasMac) takeOnlySequencesAsDecrypted();
  const bags = readPfx(pfx, passphrase).safeContents.flatMap(({ safeBags }) => safeBags);
  const derOf = (...types) =>
    bags.filter(({ type, asn1 }) => asn1 && types.includes(type)).map(({ asn1 }) => der(asn1));
  const { certBag, keyBag, pkcs8ShroudedKeyBag } = forge.pki.oids;
  return { certificates: derOf(certBag), privateKeys: derOf(keyBag, pkcs8ShroudedKeyBag) };
}

/** Tries both forms of a missing passphrase, the empty string and null (RFC 7292 §B.1), because exporters differ. */
function readPfx(pfx, passphrase) {
  try {
    return forge.pkcs12.pkcs12FromAsn1(pfx, false, passphrase);
  } catch (error) {
    if (passphrase !== '' || error instanceof TooManyIterations) throw error;
    // @ts-expect-error The type says string, but undefined means no passphrase.
    return forge.pkcs12.pkcs12FromAsn1(pfx, false, undefined);
  }
}

function openPrivateKey({ privateKeyPem, passphrase }) {
  const [block] = forge.pem.decode(privateKeyPem);
  if (block.procType?.type === 'ENCRYPTED') {
    // OpenSSL's old format uses one round of MD5, so there are no iterations to limit.
    const key = createPrivateKey({ key: privateKeyPem, passphrase });
    return { certificates: [], privateKeys: [key.export({ type: 'pkcs8', format: 'der' })] };
  }
  takeOnlySequencesAsDecrypted();
  const privateKey = forge.pki.decryptPrivateKeyInfo(forge.asn1.fromDer(block.body, false), passphrase);
  if (!privateKey) throw new Error('wrong password');
  return { certificates: [], privateKeys: [der(privateKey)] };
}

/**
 * Limits the iterations of every key derivation, even of nested parts. Delegates PBKDF2 to OpenSSL, which is 30 times
 * as fast.
 */
function limitKeyDerivation(maxIterations) {
  const checked = (count) => {
    if (!(count <= maxIterations)) throw new TooManyIterations(String(count));
    return count;
  };
  const generate = forge.pbe.generatePkcs12Key;
  const generateChecked = (password, salt, id, iterations, ...rest) =>
    generate(password, salt, id, checked(iterations), ...rest);
  forge.pbe.generatePkcs12Key = generateChecked;
  forge.pkcs12.generateKey = generateChecked;
  forge.pkcs5.pbkdf2 = (password = '', salt, iterations, size, digest) => {
    const saltBytes = Buffer.from(salt, 'binary');
    // PKCS#5 encodes the passphrase as UTF-8.
    return pbkdf2Sync(password, saltBytes, checked(iterations), size, digest.algorithm).toString('binary');
  };
}

/**
 * Rejects decrypted content that is not a SEQUENCE, as if the padding were wrong, because a wrong passphrase gives a
 * valid padding in one case of 256.
 */
function takeOnlySequencesAsDecrypted() {
  const getCipher = forge.pki.pbe.getCipher;
  forge.pki.pbe.getCipher = (...args) => {
    const cipher = getCipher(...args);
    const finish = cipher.finish.bind(cipher);
    cipher.finish = () => finish() && isSequence(cipher.output.bytes());
    return cipher;
  };
}

function isSequence(bytes) {
  try {
    const { tagClass, type, constructed } = forge.asn1.fromDer(bytes);
    return tagClass === forge.asn1.Class.UNIVERSAL && type === forge.asn1.Type.SEQUENCE && constructed;
  } catch {
    return false;
  }
}

/** Returns certificates and keys of any kind as their original bytes, without checking them. */
function keepAsn1AsItIs() {
  const reject = () => {
    throw new Error('not parsed');
  };
  forge.pki.certificateFromAsn1 = reject;
  forge.pki.privateKeyFromAsn1 = reject;
}

/**
 * Returns true for an error that a wrong passphrase may cause. If the padding is right by chance, OpenSSL reports an
 * unsupported format.
 */
function isWrongPassphrase(detail) {
  const signs =
    /invalid password|wrong password|failed to decrypt|bad decrypt|bad password|DECODER routines::unsupported/i;
  return signs.test(detail);
}

/** Converts bytes to forge's strings, which have one character per byte. */
function binary(bytes) {
  return Buffer.from(bytes).toString('binary');
}

function der(asn1) {
  return Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'binary');
}
