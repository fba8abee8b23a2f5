// The page of the wallet in a real browser: what is there, what is held, how it changed, and how to add to it.
import { afterEach, expect, test } from 'bun:test'
import type { Wallet } from '../../packages/console/src/api/types.ts'
import type { Page } from '../../test/support/browser.ts'
import { expectNoShift, failFirst } from '../../test/support/console/loading.ts'
import { expectWellShown, inTheme, LANGUAGES } from '../../test/support/console/page.ts'
import { type Account, useConsole } from '../../test/support/console/use-console.ts'
import {
  type RunningRequest,
  sendText,
  startStream,
  VARIED_MODELS,
  VARIED_UPSTREAMS,
} from '../../test/support/console/varied-requests.ts'
import { eventually } from '../../test/support/eventually.ts'

const CONFIG = `
sandbox: { faults: true }
console: { name: Example AI, support_url: "https://example.com/help" }
upstreams: ${VARIED_UPSTREAMS}
models:${VARIED_MODELS}
`
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

// Disconnected requests end soon.
const open = useConsole({ config: CONFIG, streamTiming: { usageWaitMs: 100 } })
const { visit, newAccount } = open

const streams: RunningRequest[] = []
afterEach(() => {
  for (const stream of streams.splice(0)) stream.disconnect()
})

async function newKey({ client }: Account): Promise<string> {
  const { body } = await client.post<{ secret: string }>('keys', { name: 'laptop' })
  return body.secret
}
async function newCode(amount: string, ...more: string[]): Promise<string> {
  const [code] = await open.gateway.command<{ code: string }[]>('code', 'create', '--amount', amount, ...more)
  return code?.code ?? ''
}
/** An account that has spent something. */
async function usedAccount(): Promise<Account> {
  const account = await newAccount()
  const secret = await newKey(account)
  for (let index = 0; index < 3; index++) await sendText(open.gateway.url, secret, index)
  await eventually(async () => (await walletOf(account)).balance_usd !== '10.00')
  return account
}
const walletOf = async ({ client }: Account): Promise<Wallet> => (await client.get<Wallet>('wallet')).body

const rows = (page: Page, table: string) => page.getByRole('table', { name: table, exact: true }).locator('tbody tr')
const textsOf = async (page: Page, table: string): Promise<string[]> =>
  (await rows(page, table).allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
const isFocused = (page: Page, name: string) =>
  eventually(async () => (await page.evaluate('document.activeElement.name')) === name)
const exact = (usd: string): bigint => {
  const [, sign = '', whole = '', fraction = ''] = /([−+-]?)([\d,]+)\.(\d+)/.exec(usd) ?? []
  return BigInt(`${sign.replace('−', '-').replace('+', '')}${whole.replaceAll(',', '')}${fraction.padEnd(9, '0')}`)
}

test('redeem a code: missing, unknown, good, used, expired, and too many', async () => {
  const account = await newAccount('1')
  const expires = Date.now() + 3_000
  const expiring = await newCode('3', '--expires', new Date(expires).toISOString())
  const good = await newCode('1234.50')
  await visit('/wallet', { account }, async ({ page }) => {
    const field = page.getByLabel('Redemption code')
    const redeem = async (code: string, expected: string) => {
      await field.fill(code)
      await page.getByRole('button', { name: 'Redeem' }).click()
      await page.getByText(expected).waitFor()
    }
    await redeem(' ', 'Enter a code.')
    await isFocused(page, 'code')
    await redeem('AAAA-BBBB-CCCC-DDDD-EEEE', 'This code does not exist.')
    await isFocused(page, 'code')
    expect(await field.inputValue()).toBe('AAAA-BBBB-CCCC-DDDD-EEEE')
    await redeem(good.toLowerCase().replaceAll('-', ' '), '1,234.50 USD was added to your balance.')
    expect(await field.inputValue()).toBe('')
    await rows(page, 'History').getByText('Redeemed code').waitFor()
    await rows(page, 'Statements').getByText('1,235.50').waitFor()
    // The frame shows the new balance at once, too.
    await page.getByRole('link', { name: 'Available 1,235.50' }).waitFor()
    expect((await textsOf(page, 'History'))[0]).toContain('Redeemed code +1,234.50 USD 1,235.50 USD')
    await redeem(good, 'This code was redeemed before.')
    await eventually(() => Date.now() > expires)
    await redeem(expiring, 'This code has expired.')
    for (let tries = 0; tries < 20; tries++) await account.client.post('wallet/redeem', { code: 'AAAA' })
    await redeem(good, 'Too many attempts. Retry in')
    expect(await walletOf(account)).toMatchObject({ balance_usd: '1235.50' })

    const help = page.getByRole('link', { name: 'How to add credit' })
    expect(await help.getAttribute('href')).toBe('https://example.com/help')
    await page.route('**/console/api/wallet', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...((await response.json()) as Wallet), support_url: null } })
    })
    await page.reload()
    await rows(page, 'History').first().waitFor()
    await page.locator('main').getByText('1,235.50').first().waitFor()
    expect(await help.count()).toBe(0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})

test('what is held, for which request, until it ends', async () => {
  const account = await newAccount()
  const secret = await newKey(account)
  await visit('/wallet', { account }, async ({ page }) => {
    await page.getByText('Nothing is held.').waitFor()
    const stream = await startStream(open.gateway.url, secret)
    streams.push(stream)
    const row = rows(page, 'Held now')
    await row.getByText('laptop').waitFor()
    const { held_usd, available_usd, balance_usd } = await walletOf(account)
    expect(exact(held_usd)).toBeGreaterThan(0n)
    expect(exact(available_usd) + exact(held_usd)).toBe(exact(balance_usd))
    expect((await textsOf(page, 'Held now'))[0]).toContain(`${held_usd} USD`)
    await page.locator('main').getByTitle(available_usd).first().waitFor()
    await row.getByRole('link', { name: 'gpt-y' }).click()
    const drawer = page.getByRole('dialog', { name: 'Receipt' })
    await drawer.getByText(stream.id).waitFor()
    await drawer.getByText('The request is still running.').waitFor()
    await page.keyboard.press('Escape')
    await page.goBack()
    await row.getByText('laptop').waitFor()
    stream.disconnect()
    await page.getByText('Nothing is held.').waitFor()
    await rows(page, 'History').getByText('Usage: 1 request', { exact: true }).waitFor()
  })
})

test('the history has a running balance, and leads to the usage of its days; the statement has the same', async () => {
  const account = await usedAccount()
  await visit('/wallet', { account }, async ({ page }) => {
    await rows(page, 'History').getByText('Usage: 3 requests').waitFor()
    const entries = (await rows(page, 'History').locator('td:nth-child(n+3)').allInnerTexts()).map(exact)
    const [used = 0n, afterUse = 0n, credit = 0n, afterCredit = 0n] = entries
    expect([credit, afterCredit, afterUse]).toEqual([exact('10.00'), exact('10.00'), exact('10.00') + used])
    expect(afterUse).toBe(exact((await walletOf(account)).balance_usd))

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: `CSV statement of ${MONTH.format(new Date())}` }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^statement-20\d\d-\d\d\.csv$/)
    const [head, ...lines] = (await Bun.file(await download.path()).text()).trim().split('\r\n')
    expect(head).toBe('at,kind,reason,requests,amount_usd,balance_after_usd')
    expect(lines.map((line) => line.split(',').slice(4).map(exact))).toEqual([
      [credit, afterCredit],
      [used, afterUse],
    ])

    await page.getByRole('link', { name: 'Usage: 3 requests' }).click()
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
    const spent = page
      .locator('main')
      .getByText('Spent', { exact: true })
      .locator('xpath=..')
      .locator('.tabular-nums')
      .first()
    await spent.waitFor()
    // The headline is rounded; all its digits are shown on hover.
    expect(exact((await spent.getAttribute('title')) ?? '')).toBe(-used)
  })
})

test('charges are shown on their day in UTC, whatever the zone of the browser', async () => {
  const account = await newAccount()
  const entry = { kind: 'usage', reason: '', amount_usd: '-0.50', requests: 2, balance_after_usd: '9.50' }
  await visit('/settings', { account }, async ({ page }) => {
    // In Berlin it is the next day.
    const items = [{ ...entry, at: '2026-03-01T23:30:00.000Z' }]
    await page.route('**/console/api/wallet/history*', (route) => route.fulfill({ json: { items, next: null } }))
    await page.goto(`${open.gateway.url}/console/wallet`)
    await rows(page, 'History').getByText('1 Mar 2026').waitFor()
    const link = page.getByRole('link', { name: 'Usage: 2 requests' })
    expect(await link.getAttribute('href')).toBe('/console/usage?from=2026-03-01&to=2026-03-01')
  })
})

test('a notice on every page while the available balance is below the threshold', async () => {
  const account = await newAccount('5')
  const code = await newCode('10')
  await visit('/wallet', { account }, async ({ page }) => {
    const amount = page.getByLabel('Amount in USD')
    const notice = page.getByText(/Your available balance is [\d.]+ USD, below 7\.50 USD\./)
    await amount.fill('lots')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Enter an amount such as 5 or 2.50.').waitFor()
    await isFocused(page, 'low_balance_usd')
    await amount.fill('7.5')
    await page.keyboard.press('Enter')
    await notice.waitFor()
    for (const name of ['Overview', 'Keys', 'Models', 'Usage', 'Playground', 'Settings']) {
      await page.getByRole('navigation').getByRole('link', { name }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await notice.waitFor()
    }
    await page.getByRole('link', { name: 'Add credit' }).click()
    await page.getByLabel('Redemption code').fill(code)
    await page.keyboard.press('Enter')
    await notice.waitFor({ state: 'detached' })
    await amount.fill('20')
    await page.keyboard.press('Enter')
    await page.getByText(/Your available balance is [\d.]+ USD, below 20\.00 USD\./).waitFor()
    await amount.fill('')
    await page.keyboard.press('Enter')
    await page.getByText('below 20.00 USD').waitFor({ state: 'detached' })
  })
})

test('an account without any funds reads so on every page and in the first run, until there is credit', async () => {
  const account = await newAccount('0')
  await visit('/', { account }, async ({ page }) => {
    const notice = page
      .getByRole('alert')
      .filter({ hasText: 'Your available balance is 0.00 USD. Paid requests are rejected' })
    await notice.waitFor()
    await page.getByText('Its requests are rejected until you add credit').waitFor()
    for (const name of ['Keys', 'Models', 'Usage', 'Playground', 'Settings']) {
      await page.getByRole('link', { name, exact: true }).first().click()
      await page.getByRole('heading', { name, exact: true, level: 1 }).waitFor()
      await notice.waitFor()
    }
    await notice.getByRole('link', { name: 'Add credit' }).click()
    await page.getByLabel('Redemption code').fill(await newCode('5'))
    await page.getByRole('button', { name: 'Redeem' }).click()
    await notice.waitFor({ state: 'detached' })
  })
})

test('skeletons have the size of what follows, and an error can be retried', async () => {
  const account = await usedAccount()
  await visit('/settings', { account }, async ({ page }) => {
    const url = `${open.gateway.url}/console/wallet`
    const isLoaded = async () => {
      for (const table of ['History', 'Statements']) await rows(page, table).getByText('USD').first().waitFor()
      await page.getByText('Nothing is held.').waitFor()
    }
    await expectNoShift(page, url, isLoaded)
    const works = await failFirst(page, ['about', 'wallet/history', 'wallet/statements'])
    await page.goto(url)
    const alerts = page.getByRole('alert')
    await eventually(async () => (await alerts.getByText('The test says so.').count()) === 2)
    await expectWellShown(page, 'wallet-error', inTheme(false))
    works()
    for (const name of ['History', 'Statements'])
      await page.getByRole('region', { name }).getByRole('button', { name: 'Retry' }).click()
    await isLoaded()
    const walletWorks = await failFirst(page, ['wallet'])
    await page.goto(url)
    await alerts.getByText('The test says so.').waitFor()
    walletWorks()
    await page.getByRole('button', { name: 'Retry' }).click()
    await isLoaded()
  })
})

test.each(LANGUAGES)('the wallet is accessible and fits the screen: %j', async (language) => {
  const [empty, used] = [await newAccount('0'), await usedAccount()]
  const looks = inTheme(language.dark)
  await visit('/wallet', { ...language, account: empty }, async ({ page }) => {
    await page.locator('main button[type=submit]').first().waitFor()
    await eventually(async () => (await page.locator('main .skeleton, main table').count()) === 0)
    await expectWellShown(page, `wallet-empty-${language.locale}`, looks)
  })
  await used.client.post('preferences', { low_balance_usd: '50' })
  const stream = await startStream(open.gateway.url, await newKey(used))
  streams.push(stream)
  await visit('/wallet', { ...language, account: used }, async ({ page }) => {
    await eventually(async () => (await page.locator('main table tbody tr').count()) === 4)
    await page.locator('main button[type=submit]').first().click()
    await page.locator('[aria-invalid=true]').waitFor()
    await expectWellShown(page, `wallet-${language.locale}`, looks)
    // The button of a statement is not cut off.
    const cut = await page
      .locator('main section[tabindex]')
      .evaluateAll((tables) => tables.filter((each) => each.scrollWidth > each.clientWidth).length)
    expect(cut).toBe(0)
  })
})
