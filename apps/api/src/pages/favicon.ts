/** The icon of the service: a pass with a notch on each side, a line of text and a code. */
export const faviconSvg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<path fill="#2f6fde" d="M8 2h16a5 5 0 0 1 5 5v4a2.5 2.5 0 0 0 0 5v9a5 5 0 0 1-5 5H8a5 5 0 0 1-5-5v-9a2.5 2.5 0 0 0 0-5V7a5 5 0 0 1 5-5z"/>
<path fill="#fff" d="M11 7h10v3H11zM11 17h4v4h-4zM17 17h4v4h-4zM11 23h4v4h-4zM18 24h2v2h-2z"/>
</svg>
`;

/** The same icon for browsers that look for `/favicon.ico`: an ICO file with a PNG image of 32 × 32 pixels. */
export const faviconIco = Buffer.from(
  'AAABAAEAICAAAAEAIADRAQAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAAlwSFlzAAALEwAACxMBAJqcGAAAAYNJREFUWMPtV81OwkAQ/mazN/UFuBjoHWvEcDAxPICGB9GicDHGqyGcmgLxPUzUJ+Akkki5U+IBH8DgzXY8KElp6A/CQojMbXa2/WZnvpndAf670LRF3XCKnuAyMXIg2poLgfmTgRcImD1Le4h1IFvq14joStGBq3Y9cxPqgG44RRa4VxlyZj7tNbTHsS78Rk9weQlJr/hVMWmjA+X4TDm/LgP27aiPu1Y6EYh+OYiKwE5oBFYhK3dAzrI5MrSLiIAkkQK4qbAGGz8YkZ2QKVsatIhwtFhwtOxG5jgBB4gJeFZQ/+2EJGRiIK8gAfnYy2j/7C3lSveagHNFJGiKL1l7vdt9n1oFnnSHpLYPGp50Df/BZyrDYCccl2XY+lo0oo0DE5zbu3B4GaB2PUPreRnNw3blHOha6cQPligHRqpDzsBHaAqYuUNEhb/8OGk6iNEJ54CACUZB6YNEsBmagt/JpapwJri1Le0pdjTLlvonIFQIdBj3Uk4gIzDaEGwGwTcCAN/jy3TfzpKlrgAAAABJRU5ErkJggg==',
  'base64',
);
