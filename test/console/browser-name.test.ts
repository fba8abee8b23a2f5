// The names that the list of sessions shows for browsers.
import { expect, test } from 'bun:test'
import { browserName } from '../../packages/console/src/pages/settings/browser-name.ts'

const KHTML = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const CASES: [string, string | undefined][] = [
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'Edge, Windows'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${KHTML} HeadlessChrome/140.0.0.0 Safari/537.36`, 'Chrome, Linux'],
  [
    `Mozilla/5.0 (Linux; Android 15) ${KHTML} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet, Android',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15.1; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, macOS'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari, iOS',
  ],
  [`Mozilla/5.0 (Windows NT 10.0) ${KHTML} Chrome/139.0.0.0 Safari/537.36 OPR/120.0.0.0`, 'Opera, Windows'],
  ['curl/8.5.0', undefined],
  ['', undefined],
]
test.each(CASES)('%s', (userAgent, name) => expect(browserName(userAgent)).toBe(name))
