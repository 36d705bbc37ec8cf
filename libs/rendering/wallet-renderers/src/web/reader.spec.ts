import { readerOf } from './reader.js';

const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const android = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko)';
const webView = 'Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0';
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)';

it('readerOf returns the languages that a reader asks for, best first, even languages in which there are no pages', () => {
  const languages = (lang?: string, acceptLanguage?: string) => readerOf({ lang, acceptLanguage }).languages;
  expect(languages('SV', 'de-at;q=0.5, pt-br, *, sv')).toEqual(['sv', 'pt-BR', 'de-AT']);
  expect(languages()).toEqual([]);
  expect(languages('no language', 'x'.repeat(2000))).toEqual([]);
  expect(languages('de', 'aa,ab,ae,af,ak,am,an,ar,as,av,ay')).toHaveLength(10);
});

describe('a browser', () => {
  it.each([
    ['Safari on an iPhone', `${iphone} Version/18.5 Mobile/15E148 Safari/604.1`, 'iphone'],
    ['Chrome on an iPhone', `${iphone} CriOS/141.0 Mobile/15E148 Safari/604.1`, 'iphone'],
    ['Firefox on an iPad', `${iphone.replace('iPhone;', 'iPad;')} FxiOS/140.0 Mobile/15E148 Safari/604.1`, 'iphone'],
    ['Safari on a Mac', `${mac} Version/18.5 Safari/605.1.15`, 'mac'],
    ['Chrome on Android', `${android} Chrome/141.0.0.0 Mobile Safari/537.36`, 'android'],
    ['Samsung Internet', `${android} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`, 'android'],
    ['Chrome on Windows', `${windows} Chrome/141.0.0.0 Safari/537.36`, 'desktop'],
    ['a browser without a User-Agent header', '', 'desktop'],
  ])('a page recognises %s as a standalone browser on its device', (_, userAgent, device) => {
    expect(readerOf({ userAgent })).toMatchObject({ device, inApp: false });
  });

  it.each([
    ['Instagram on an iPhone', `${iphone} Mobile/15E148 Instagram 390.0.0.28.85 (iPhone17,1; iOS 18_5)`],
    ['Facebook on an iPhone', `${iphone} Mobile/15E148 [FBAN/FBIOS;FBAV/520.0.0.38.101;FBDV/iPhone17,1]`],
    ['TikTok', `${iphone} Mobile/15E148 musical_ly_40.5.0 BytedanceWebview/d8a21c6`],
    ['LINE', `${iphone} Mobile/15E148 Safari Line/15.8.0`],
    ['WeChat', `${iphone} Mobile/15E148 MicroMessenger/8.0.60(0x18003c2f) NetType/WIFI Language/en`],
    ['LinkedIn', `${iphone} Mobile/15E148 [LinkedInApp]/9.31`],
    ['Snapchat', `${iphone} Mobile/15E148 Snapchat/13.45.0.45 (like Safari/8621.2.5, panda)`],
    ['the Google app', `${iphone} GSA/377.0 Mobile/15E148 Safari/604.1`],
    ['any other app on an iPhone, such as Gmail', `${iphone} Mobile/15E148`],
    ['Facebook on Android', `${webView} Chrome/141.0.0.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/520.0.0;]`],
    ['any other app on Android', `${webView} Chrome/141.0.0.0 Mobile Safari/537.36`],
  ])('a page recognises %s as the browser of an app', (_, userAgent) => {
    expect(readerOf({ userAgent }).inApp).toBe(true);
  });
});
