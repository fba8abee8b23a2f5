// How pages fit screens, with an account of many keys, long names, and amounts of nine decimals.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Browser, type Page, startBrowser } from '../../test/support/browser.ts'
import { choose } from '../../test/support/console/choose.ts'
import { openConsole, overflow, type View } from '../../test/support/console/page.ts'
import { eventually } from '../../test/support/eventually.ts'
import { consoleClient, outcomeOf, PASSWORD } from '../../test/support/gateway/console.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { newHome } from '../../test/support/gateway/home.ts'
import { fillStore } from '../../tools/fill/fill.ts'

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
    email: EMAIL,
    password: PASSWORD,
    models: MODELS,
    requests: 300,
    days: 30,
    stepMs: 60_000,
    topUps: 1,
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

const PAGES = ['/', '/keys', '/connect', '/models', '/usage', '/wallet', '/playground', '/settings']
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

/** What every row must show without scrolling, whatever the room. */
const TABLES = [
  { path: '/keys', shown: ['Active', 'button[aria-label^="Actions for"]'] },
  { path: '/usage', shown: ['Completed'] },
  { path: '/models', shown: ['gpt-x', 'tr:first-child td:last-child'] },
]

describe.each([360, 768, 1024, 1280, 1920])('a screen of %d px', (width) => {
  test.each(TABLES)('tables of $path show states and actions without scrolling', async ({ path, shown }) => {
    await visit(path, { width }, async (page) => {
      const tables = page.locator('main section[tabindex]:has(table[role=table])')
      await page.locator('main table[role=table] tbody tr').first().waitFor()
      const hidden = await tables.evaluateAll((all) => all.map((each) => each.scrollWidth - each.clientWidth))
      expect(hidden).toEqual(hidden.map(() => 0))
      expect(hidden.length).toBeGreaterThan(0)
      for (const what of shown) {
        const found = page
          .locator('main table[role=table] tbody')
          .locator(/^[A-Z]|^gpt/.test(what) ? `text=${what}` : what)
        const box = await found.first().boundingBox()
        expect(box && box.x >= 0 && box.x + box.width <= width).toBe(true)
      }
    })
  })
})

test('Next and First page lead to the head of the list, and Back to where it was left', async () => {
  await visit('/keys', {}, async (page) => {
    const table = page.getByRole('region', { name: 'Keys' })
    const topOf = async () => Math.round((await table.boundingBox())?.y ?? -1)
    await page.getByRole('button', { name: 'Next' }).scrollIntoViewIfNeeded()
    const left = await page.evaluate('window.scrollY')
    expect(left).toBeGreaterThan(500)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('a key for the service number 9', { exact: true }).waitFor()
    await eventually(async () => (await topOf()) >= 0 && (await topOf()) < 400)
    expect(await table.evaluate((element) => element.matches(':focus'))).toBe(true)
    await page.goBack()
    await page.getByText('a key for the service number 59', { exact: true }).waitFor()
    await eventually(async () => (await page.evaluate('window.scrollY')) === left)
  })
})

test('a field of keys finds every one of them, by keyboard too', async () => {
  await visit('/usage', {}, async (page) => {
    const field = page.getByRole('combobox', { name: 'Key', exact: true })
    await field.focus()
    await page.keyboard.press('ArrowDown')
    await page.getByText(/^1\d more. Type to narrow down.$/).waitFor()
    await page.keyboard.type('number 7')
    await page.getByRole('option', { name: 'a key for the service number 7', exact: true }).waitFor()
    await eventually(async () => (await page.locator('[role=option]').count()) === 1)
    await page.keyboard.press('Enter')
    await eventually(async () => (await field.inputValue()) === 'a key for the service number 7')
    expect(new URL(page.url()).search).toMatch(/^\?key=\d+$/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('listbox').count()).toBe(0)
    await choose(page, 'Model', 'gpt-x')
    expect(new URL(page.url()).search).toMatch(/model=gpt-x/)
    await page.reload()
    await eventually(async () => (await field.inputValue()) === 'a key for the service number 7')
  })
})

test.each([
  '/',
  '/usage',
  '/keys',
  '/wallet',
])('%s costs less than 100 KB per minute while it is open', async (path) => {
  await visit(path, {}, async (page) => {
    await page.clock.install()
    const traffic = await page.context().newCDPSession(page)
    await traffic.send('Network.enable')
    const running = new Set<string>()
    let bytes = 0
    traffic.on('Network.requestWillBeSent', ({ requestId }) => running.add(requestId))
    traffic.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      running.delete(requestId)
      bytes += encodedDataLength
    })
    // What the page before was loading ends with it.
    traffic.on('Network.loadingFailed', ({ requestId }) => running.delete(requestId))
    await page.reload()
    await eventually(async () => (await page.locator('main .skeleton').count()) === 0)
    await eventually(() => running.size === 0)
    bytes = 0
    for (let second = 0; second < 60; second++) {
      await page.clock.runFor(1_000)
      await eventually(() => running.size === 0)
    }
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(100_000)
  })
})
