// How pages fit screens, with an account of many keys, long names, and amounts of nine decimals.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fillStore } from '../../tools/fill/fill.ts'
import { type Browser, type Page, startBrowser } from '../support/browser.ts'
import { openConsole, overflow, type View } from '../support/console/page.ts'
import { eventually } from '../support/eventually.ts'
import { consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { newHome } from '../support/gateway/home.ts'

const EMAIL = 'somebody.with.a.long.address@department.example.com'
const KEYS = 60
const MODELS = [
  { id: 'gemini-3.1-flash-lite-preview-09-2026', input: 3_123_456_789n, output: 15_123_456_789n },
  { id: 'gpt-x', input: 2_000_000_001n, output: 8_000_000_003n },
]
const CONFIG = `
upstreams: [{ id: demo, kind: sandbox }]
models:
${MODELS.map(({ id }) => `  - { id: ${id}, routes: [{ upstream: demo, model: sandbox-text }], price: { input: 3.123456789, output: 15.123456789, cached_input: 0.123456789 }, limits: { context: 1000000, max_output: 65536 } }`).join('\n')}
groups:
  - { id: default, models: ["*"] }
  - { id: nightly-batch-jobs, models: ["*"], multiplier: 0.333333, console: true }
`

let gateway: Gateway
let browser: Browser
const client = () => consoleClient(gateway.url)
let token = ''

beforeAll(async () => {
  const home = await newHome('sqlite', CONFIG)
  const starting = startBrowser()
  await fillStore(home, {
    ...{ email: EMAIL, password: PASSWORD, models: MODELS, requests: 300, days: 30, stepMs: 60_000, topUps: 1 },
    multiplierMillionths: { 'nightly-batch-jobs': 333_333n },
    keys: Array.from({ length: KEYS }, (_, index) => ({
      name: `a key for the service number ${index}`,
      ...(index % 2 === 0 ? { group: 'nightly-batch-jobs' } : { cap: 123_123_456_789n, capPeriod: 'month' as const }),
    })),
  })
  gateway = await startGateway({ home })
  const signedIn = client()
  expect(outcomeOf(await signedIn.post('sign-in', { email: EMAIL, password: PASSWORD }))).toBe('200')
  token = signedIn.token() ?? ''
  browser = await starting
})
afterAll(async () => {
  await browser?.close()
  await gateway?.stop()
})

async function visit(path: string, view: View, look: (page: Page) => Promise<void>): Promise<void> {
  const { page, problems, close } = await openConsole(browser, gateway.url, path, view, token)
  try {
    await eventually(async () => (await page.locator('main .skeleton').count()) === 0)
    await look(page)
    expect(problems).toEqual([])
  } finally {
    await close()
  }
}

test('the browser of tests sees fonts of its own alone', async () => {
  const page = await browser.newPage()
  const widthIn = (font: string) =>
    page.evaluate(`(() => {
      const pen = document.createElement('canvas').getContext('2d')
      pen.font = '20px ${font}'
      return pen.measureText('How wide is this? 0.000079 USD').width
    })()`)
  const usual = await widthIn('system-ui')
  // Fonts that systems have installed.
  for (const font of ['DejaVu Sans', 'Liberation Mono', 'Noto Serif CJK SC', 'serif', 'monospace'])
    expect([font, await widthIn(font)]).toEqual([font, usual])
  await page.close()
})

const PAGES = ['/', '/keys', '/models', '/usage', '/wallet', '/playground', '/settings']
const PHONES = [
  { width: 360, locale: 'en-GB', isMobile: true, wideFont: true },
  { width: 390, locale: 'zh-CN', isMobile: true, wideFont: false, dark: true },
]

describe.each(PHONES)('a phone: %j', (phone) => {
  test.each(PAGES)('%s is not wider than the screen, and amounts stay within their cards', async (path) => {
    await visit(path, phone, async (page) => {
      expect([Math.max(0, await overflow(page)), await page.evaluate('window.innerWidth')]).toEqual([0, phone.width])
      expect(await page.evaluate(OUTSIDE)).toEqual([])
      const bar = await page.locator('nav.fixed').boundingBox()
      expect([bar?.width, (bar?.y ?? 0) + (bar?.height ?? 0)]).toEqual([phone.width, 740])
    })
  })
})

/** Amounts that reach over the edge of what contains them. */
const OUTSIDE = `[...document.querySelectorAll('main .tabular-nums')].flatMap((amount) => {
  const card = amount.closest('section, .rounded-lg')
  const [inner, outer] = [amount, card].map((each) => each?.getBoundingClientRect())
  return !outer || (inner.left >= outer.left && inner.right <= outer.right) ? [] : [amount.outerHTML]
})`
