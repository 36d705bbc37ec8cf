import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { onceInProcess } from '../once-in-process.js';

/** RSA 2048 keys in PKCS#8 DER. They are public and only for tests. */
const readyMade = [
  [
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCSWWOxgkBPBpRLxTiXsgaIBZGsjz30vqsxZxMbmlYfbARDF3UxF5o2b8iEAY',
    'LCugfJV1C2fXl7GNTiM0RXFqq9p6eM3X6Vv9iTxQYFMZhVO6BuH59tRRMEz4B7ET7820ubfh+dHeMT/C/AEFmGOwBGckgdsBf19aRvR/O9Fcxg',
    'baSeQM8G8l6WVYA/bKBBPc6x8KptCtA+67tRrCP9qBpQLPyNKVexwnh7O66jybeEt8j7iI1OHAs2FUuvWmrwFl8rPorNRzH55AMIRijzsGShxq',
    '0+CdPN9AiGWaIdNhoAcrU+JCMqhnqnltjbCthk3JgLhaWZA3iQufLn3jJaXJazAgMBAAECggEAF+dq3bURLPc9pKynhDuLTo9eTmmtLHsyOiUE',
    'XXdVhtddUNoVhbm9shOLFGisw4KgP/Y3lD8lZwJUz0eha3oj1Et8lgkdoncN+IDvbUy+/Xj6SNJ4d2AXbas46KEWATYOgOzWXBLkIsEHyZ7CCK',
    'c9ccQ73EGFgGKpg5WkjadwVPWEeBcTzg8doBJhV8OQpMrRdBldmOz8n+sB/ZSiTc7tib81q882IFiog8dkxf+s6TDehjQLWFuKnpfC/H6GlyS8',
    'JV4l2JeQtr9doCizrtC0bDe1yxdYGZnU8gPj4PkIGPBjLuDJpb8YeAho6wULYquDmvVUFNyDhYL4cXyBC4Ia3QKBgQDD2T+u1X622t1oMSPM2B',
    'ktVTjRk1MKjJmwqovMgb7pogoHZfQLTeai9F2LNWZHilm1WuNEB2XMwP8xgw5fwqqLKvdqUBsX4DIyRXABE5Cw0udiqN76doKqt5Alck+tMyN7',
    'Qpl4afZMxxeTAQUE2yjLYyobNxMDKk0qKwaujnEpdQKBgQC/TDUt/SzTdOtRv2oYExjh0MhnVIIhGkbNvSAU2IRR0o2uWhEOddkcb9PgppD/e/',
    'UGLGqPtXEeIf7zURQLVC4PbYb8vfLaic6ZtS9jFsvvDD9SjRrMHifZnssRYyst8RAipaCJbPMu0YqGr/gEf8Sa8EvHjZULrrVwg/8qWn+ShwKB',
    'gGRDQQ3xcGiOTZD8rzY8X09M9MSd5oJdDoVaGi29Mo6LDRVShYiP/gXokkclNFJlqp1khTqbiusy1rJzRJWTpBmRCo7bqbMkbK49zCRQ7t8Hab',
    'uhdl3E9AoP5XS2O8IQjxaYNtdlb9lIh3ITsI0W4aCWCMVcAZi6PDzdQBN3CsnNAoGAcUWYv7CIGHXE2VT0Z2j3dM8Bu12o6Bz9C9oO4wkJ4MFC',
    'L5kZPGy/sDzvQrieZwlpHsyyFIIlhuguZLj/m22vEGeUZJe883ZiJVXJx2y6OMQRwrnWwkKg6hVCvPrxmHSDT2CvXHBs1q4wzmvn+hIFwpDC7l',
    'iBhrderE8cimGn5IUCgYEApUqbMLtKJbMfs2VqLKwdx53+oSr9TDwkqVaacibVEc9Wcd/vkKDxK12Mp8f2qo43+B1tyZHfiD9N6j4qWe07mBmI',
    'xZF/NkIlgrxe2+/uzh1YciMJRrHbZv25AZ05YTeISb/vFaVa5sCmt80IIor1bnPaCmcTw5nRe3DMmiyVNso=',
  ],
  [
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCbCp26hIrOzwNwiWDOqAfOqyf1vFRtBU7HfkaT4BCpND9Uz5f/+DCZauaFj2',
    'rayfchCNPxN86jlfo/zQuV7dRAHfVHjSy44f8F6Ajhq+Hv0bbEEKaevzPCAOc6hhSFOv8c2GvGVoyPiYq5o8JHhp5kWba8vRZM6X1v8JhueS9j',
    'p0/3fr9Q0N54V/B2BpvNObFImzryY6Zdl1vijzFy9Z7E6kD441gDDoAXYjBfcU6Oob3N534YN8n6Ku3JlDK4KGNNGSV3p4Rqt7yyaJ80ZgTPGp',
    '7kGXPvld7KM8ezBKJnPixgBt3H5kTvIaBGWKhctPY3cOjMWqKFCfE4G8/VhbLxAgMBAAECggEAErNwHQxZteJQduWLMMIh1vLcKg7iXBgUzYlU',
    'uAeB2vb7YJ59phlou0iir5+B8wwDbA+liOYDXcX8Xm+8IwSB4o36hPvpVg+kdDDtyVKzOPshwXqEroc/lfoH6g48MWnRVchhD5Zm8/VSL1wqVf',
    'hN6KrNmOxx4SsUv0jVChZB+hIHR7GHj9AcHcm4H670b/wzXvFfVSb+D7dld1wG/HzxWjSi5Vc4KF6j8AH9kON4vwioO445wgVxxpFrs9uljjYU',
    'VziYKnRzRRyzHhimRUj2fYJQaEqU2hPQI18OOn8w9ZXEe4qbRVsw3FTbHadja4H9FYjm4XNxtXahQoZESmN2dQKBgQDLkZ7HmfW8DrqfJLPcEo',
    'owq0/OW0tTONNcGAUTnP0eSNEJlMtVRL3+Lsv/9fqXEIa+roEVoMJgRFkFyc93z+c387Q8+ekXBfpi4Auwk6yyB1LM1H2HUFTh4Hp5PfJrdUgh',
    'oe4t0oqllcq8C5ZbPGW4E+Z1j3f3m5xq8EP7DpOo4wKBgQDC+VP1/J97/dgQ7JKCnxsKPoNofiX78QARD1+FB1wGW5WzCTgOJ/WgXIaX8wg7gh',
    'NgqHgUc/yoTyeN/kzDp9p+DLWpqd0zmeqFGBgzQLp/GX4+2n+uKc5OpUn7NgmFUrPgy2dSuXbA8n7GWr0VwIC1CbsUDFSXYw2kjiIHuq4BGwKB',
    'gQCoz5JXPaJdF+3EiUApsKouH/InUufNFKOZjEWxdQ8mLQZEJsLTbBUOEyqSkR4EZe0HdViQYeauxB76wNcuKRc5+/usUSXtNMTld5vaCyw72f',
    'zc5R1Pt9scEPYfUrKUUAbH9Su5jg3xsJ0VgZpnAFft5XrIZHf8umtk9ue46uaiNwKBgB8alWldpreqFEkG5IyQA0lMFbyau0aI+OC/2hYnyWd+',
    'PtBz/QxNFaNCf3pIHB0aMCswVQ+2PS1Ai2fclLR116ZaMrThU1eDC2W2JU4v2lCiaYBvbQUEyFPFjJrV0QkC241WBaKt0aMQTGcqXJXWwvGens',
    'ig+vG3rJp+zjD7d/zXAoGAc17dlA0ou3xEZa79IBspBzDElPGXvUVCloW67/QZHvs3O0tFw/V5iUuNc4vgdyJ6uBLXlpwbkLFtBcCwR7YL8vEs',
    '0ekGikUbM8YgfyWYdtcO57fT37tazmKOOGDCrfj+uvkXHw1zqlqDd/NPZ55IvBleSCmqk1XqPEeVVLvQRLI=',
  ],
  [
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCHef7jzHamJlcwLxHGlzlvEHah0zHrpUorzZLDaA3zYwxd1L+tFXVMizap22',
    'LCJlkpvofLyKfvXjQb5ObKtf3K4KsVuPiQ7EcyfYYiU8yD0SR5RyroxhGDUaLbLAQ6Sdzp5USrJdOMKPmw6pUS7wjZpdyroUZ0/Yz4mH+pXFch',
    'VVcD4HHQhAhLpGEgrLRup9O13x9MsApR0mRkqmSkCkx+sDny/g+g673b8iA1mEQlEBYxrm2I1llM5EVZDhA9LubvgHGbLREdEkW83YPgjZN/TH',
    'P3QMMaoBUl1t0YbWmpNlS9uCIKWXqX3Kphbmxgj5yaXM4BFnlCtBK0Jd2WctAnAgMBAAECggEAMR5BFLRf3DOQbu7R4g+YCjWM3XUl50rhTmpV',
    'KLXEQRcLN8XXzNg31A2xPvpEnyGqOCFVOMRCZt3fxLFEIADFyFWWkeSjcl/IHH04MZ/ySWR9dd8gpo6RcOwbQJ1/1uZKyx6NvAOV5H5CsSsL63',
    'Zw3gBttmhdlDMNdmBMAMpy6KlyO+/uhtCuSRaOITssxxLUeAlqdcvUJ9SuxRc719po/+Yi5KAKo1W/+3gI44kNNBZgp1IbQf8meVF0maN4SEy2',
    'bmLGKsmmtX44BzduY2+SuXgEaNi7WUdpp0z3Ho5OifI7TroippmwHkQdko+TzbcnPSXnL7vkXOAM6aZQ0BohKQKBgQC781HiXBZDcBvA6Gx7op',
    'DBh2ZYc/BDMmYIRuSmCm8b+Gt2OyfQCxeiiWLR0jimA/G1L0+Inc3PvJs+1ZviOmo8EOE7tgjgva2EZnWik+Kgr4YfTBHfTbpj6MSMghsNUnLE',
    'g4/nNmfCkTG0mDFVty2Ecsgtjj09DyEu1xfpJh+oJQKBgQC4hv5Cf8hE5dMVE40uHhhN3uWGEkSnT5hrOUzDtLi2NxbepRHCyVWrwXz/VWD3nc',
    'nkcasSFNe57ECk6UJYHjAhOzNIJqCfcJbvSKR6ISb0eytskRkPSLFMn6hIpCPeu8AteTkeidDUONQu2TQ6eJwlGgaA/hnjfb9/HpRKUwJvWwKB',
    'gDNPxncp9NoMbUdJLPTD+Qkc0hAr9tghlkGEOUArcRINzCjHFaNyo803/MaTwetxADga5nfBvUKNl0ScRKaKlB457YPDusDAh/KxlkQAY8rCoL',
    'dCqU5xhgVosuA5VPFaJQMJd+wDqmgwA4XuVumzzLVwML5fKtDUpJaJGnoIcnQRAoGAI9CPqPiENlslDQIudLUCopqQkeUZzh90xdrpO1LoRvWK',
    'SsxfFh9dsWhsimJX37eQZ/Zn7ap99GgWY+uiJNg3HzwOSAK3SjrgELFYuxuUI/+D/h5rbrv9LZIPZ4n0LFbkhe7xVywIjCg7hpxBtteR9uGGQa',
    'MQA0d004dr4MEbx+ECgYEAiITJlfxYlMBKz2bAcSm0G/3ptgRaR+rVWqz/y/y1HXGk0gpy7igoq/v6QcPr3ZVdBEGX1pskk0IH11agjfNJc0YA',
    'QN3X4LdI3clIyA6KkHDmLk9pAWL2tAsdR807JQlKxPwmc6gHZdFgxLwrdPvJ7/qsyFML31bJoLn5Bo9l//s=',
  ],
];

/** Returns the key with this number. The first few keys are ready-made, because creating a key takes 0.2 s or more. */
export function keyNumber(index: number): KeyObject {
  const lines = readyMade[index];
  if (lines) return createPrivateKey({ key: Buffer.from(lines.join(''), 'base64'), format: 'der', type: 'pkcs8' });
  const make = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  return onceInProcess(`key of service account ${index}`, make);
}
