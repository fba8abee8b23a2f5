// The page of usage in a real browser: what was spent on what, and why each request cost what it cost.
import { afterEach, expect, test } from 'bun:test'
import { roundUsd } from '../../packages/console/src/i18n/figures.ts'
import type { Locator, Page } from '../../test/support/browser.ts'
import { choose } from '../../test/support/console/choose.ts'
import { expectNoShift, failFirst } from '../../test/support/console/loading.ts'
import { expectWellShown, inTheme, LANGUAGES } from '../../test/support/console/page.ts'
import { type Account, useConsole } from '../../test/support/console/use-console.ts'
import {
  type RunningRequest,
  sendImage,
  sendText,
  sendUnpriced,
  startStream,
  THIRD_GROUP,
  VARIED_MODELS,
  VARIED_UPSTREAMS,
} from '../../test/support/console/varied-requests.ts'
import { eventually } from '../../test/support/eventually.ts'

const CONFIG = `
sandbox: { faults: true }
console: { name: Example AI }
upstreams: ${VARIED_UPSTREAMS}
models:${VARIED_MODELS}
groups:
  - { id: default, models: ["*"] }
  - ${THIRD_GROUP}
`

// Disconnected requests end soon.
const open = useConsole({ config: CONFIG, streamTiming: { usageWaitMs: 100 } })
const { visit, newAccount } = open

const streams: RunningRequest[] = []
afterEach(() => {
  for (const stream of streams.splice(0)) stream.disconnect()
})

async function newKey({ client }: Account, name: string, group = 'default'): Promise<string> {
  const { body } = await client.post<{ secret: string }>('keys', { name, group })
  return body.secret
}

/** 11 requests: seven texts of `laptop`, two of it without a price, and two of `server`, which is in the group `third`. */
let used: Promise<Account> | undefined
function usedAccount(): Promise<Account> {
  used ??= (async () => {
    const account = await newAccount()
    const [laptop, server] = [await newKey(account, 'laptop'), await newKey(account, 'server', 'third')]
    const { url } = open.gateway
    for (let index = 0; index < 7; index++) await sendText(url, laptop, index)
    await sendUnpriced(url, laptop)
    await sendText(url, server, 0)
    await sendImage(url, server)
    await eventually(async () => (await account.client.get<{ total: Sums }>('usage')).body.total.requests === 11)
    return account
  })()
  return used
}
/** How often a page looks for changes while nothing runs. */
const POLL_MS = 15_000
type Sums = { requests: number; tokens: number; cost_usd: string }

/** The rows of the list, not of the tables for screen readers or of a receipt. */
const rows = (page: Page) => page.locator('main table[role=table]').last().locator('tbody tr')
const untilCount = (page: Page, count: number) => eventually(async () => (await rows(page).count()) === count)
const untilSteps = (page: Page, count: number) =>
  eventually(async () => (await page.locator('figure table tr').count()) === count)
const stat = (page: Page, label: string): Locator =>
  page.locator('main').getByText(label, { exact: true }).first().locator('xpath=..')
/** The headline is rounded; all its digits are shown on hover. */
async function totalSpent(page: Page): Promise<string> {
  const headline = stat(page, 'Spent').locator('[title]')
  const total = (await headline.getAttribute('title')) ?? ''
  expect(plain(await headline.innerText())).toBe(`${roundUsd(total.replace(' USD', ''))} USD`)
  return total
}
const plain = (text: string): string => text.replace(/\s+/g, ' ').trim()
/** In units of 10^-20 USD. */
const exact = (usd: string): bigint => {
  const [, sign = '', whole = '', fraction = ''] = /([−+]?)([\d,]+)\.(\d+)\sUSD/.exec(usd) ?? []
  return BigInt(`${sign === '−' ? '-' : ''}${whole.replaceAll(',', '')}${fraction.padEnd(20, '0')}`)
}

test('a request shows up without a reload, first as running and then with its cost', async () => {
  const account = await newAccount()
  const secret = await newKey(account, 'laptop')
  await visit('/usage', { account }, async ({ page }) => {
    await page.clock.install()
    await page.reload()
    await page.getByText('No requests in this period.').waitFor()
    const stream = await startStream(open.gateway.url, secret)
    streams.push(stream)
    await page.clock.fastForward(POLL_MS)
    await rows(page).getByText('Running').waitFor()
    expect(await rows(page).getByText('USD').count()).toBe(0)
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('running')
    await rows(page).getByText('gpt-y').click()
    const drawer = page.getByRole('dialog', { name: 'Receipt' })
    await drawer.getByText('The request is still running.').waitFor()
    await drawer.getByText('The cost is known when the request ends.').waitFor()
    stream.disconnect()
    await drawer.getByText('Output tokens').waitFor()
    await drawer.getByText('Client disconnected').waitFor()
    await drawer.getByText('the upstream reported no usage').waitFor()
    await page.keyboard.press('Escape')
    await page.clock.fastForward(POLL_MS)
    await page.getByText('No request matches these filters.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await rows(page).getByText('Client disconnected').waitFor()
    await stat(page, 'Requests').getByText('1', { exact: true }).waitFor()
  })
})

test('filters combine and live in the URL; the CSV file has what is shown', async () => {
  const account = await usedAccount()
  await visit('/usage', { account }, async ({ page }) => {
    await untilCount(page, 11)
    await stat(page, 'Requests').getByText('11', { exact: true }).waitFor()
    await choose(page, 'Model', 'gpt-y')
    await untilCount(page, 6)
    await choose(page, 'Key', 'laptop')
    await untilCount(page, 5)
    await stat(page, 'Requests').getByText('5', { exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('completed')
    await untilCount(page, 3)
    await page.reload()
    await untilCount(page, 3)
    expect(await page.getByRole('combobox', { name: 'Outcome' }).inputValue()).toBe('completed')
    expect(new URL(page.url()).search).toMatch(/^\?model=gpt-y&key=\d+&outcome=completed$/)

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('requests.csv')
    const [head, ...lines] = (await Bun.file(await download.path()).text()).trim().split('\r\n')
    const columns = head?.split(',') ?? []
    const inFile = lines.map((line) => {
      const cells = line.split(',')
      const cell = (name: string) => cells[columns.indexOf(name)] ?? ''
      const tokens = `${cell('input_tokens')} / ${cell('output_tokens')}`
      return [cell('model'), cell('key_name'), tokens, `${cell('cost_usd')} USD`]
    })
    const shown = await rows(page).evaluateAll((found) =>
      found.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText.replace(/\s+/g, ' ').trim())),
    )
    expect(inFile).toEqual(shown.map((cells) => cells.slice(1, 5)))

    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('shutdown')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await untilCount(page, 11)
  })
})

test('totals by model and by key add up, keep their colours, and filter the page', async () => {
  const account = await usedAccount()
  await visit('/usage', { account }, async ({ page }) => {
    const total = await totalSpent(page)
    const table = (name: string) => page.getByRole('table', { name, exact: true })
    const spendOf = async (name: string) => {
      await table(name).getByText('USD').first().waitFor()
      const cells = await table(name).locator('tbody td:nth-child(2)').allInnerTexts()
      return cells.map((cell) => exact(plain(cell))).reduce((sum, each) => sum + each, 0n)
    }
    expect(await spendOf('By model')).toBe(exact(total))
    const dot = table('By model').locator('tr', { hasText: 'gpt-y' }).locator('[class*=text-chart]')
    const colour = await dot.getAttribute('class')
    await page.getByText('90 d', { exact: true }).click()
    await untilSteps(page, 90)
    expect(await dot.getAttribute('class')).toBe(colour)
    await page.getByRole('group', { name: 'Group by' }).getByText('Key', { exact: true }).click()
    expect(await spendOf('By key')).toBe(exact(total))
    await table('By key').getByRole('button', { name: 'server' }).click()
    await untilCount(page, 2)
    await eventually(async () => (await page.getByRole('combobox', { name: 'Key' }).inputValue()) === 'server')
  })
})

test('rejected requests are a list of their own; the id that an error named opens what it was', async () => {
  const account = await newAccount()
  const secret = await newKey(account, 'laptop')
  const id = await sendText(open.gateway.url, secret, 0, [{ model: 'gpt-0', content: 'Hello' }])
  await eventually(async () => (await account.client.get(`requests/${id}`)).status === 200)
  await visit('/usage', { account }, async ({ page }) => {
    await page.getByText('No requests in this period.').waitFor()
    await page.getByText('Rejected', { exact: true }).click()
    await untilCount(page, 1)
    expect(plain(await rows(page).innerText())).toMatch(/404 model_not_found laptop 1 The model 'gpt-0' does not exist/)
    expect(new URL(page.url()).search).toBe('?view=rejected')
    await rows(page).getByRole('button').click()
    const drawer = page.getByRole('dialog', { name: 'Receipt' })
    await drawer.getByText('Nothing was charged.').waitFor()
    await drawer.getByText("The model 'gpt-0' does not exist").waitFor()
    await expectWellShown(page, 'rejected', inTheme(true))
    await page.goto(`${open.gateway.url}/console/usage?request=${id}`)
    await drawer.getByText('404 model_not_found').waitFor()
  })
})

test('pages of the list, and a search that has to go on', async () => {
  const account = await newAccount()
  const secret = await newKey(account, 'laptop')
  for (let sent = 0; sent < 52; sent += 4)
    await Promise.all(
      Array.from({ length: 4 }, () => sendText(open.gateway.url, secret, 0, [{ model: 'free', content: 'Hello' }])),
    )
  await visit('/usage?outcome=completed', { account }, async ({ page }) => {
    const [next, previous] = ['Next', 'Previous'].map((name) => page.getByRole('button', { name, exact: true }))
    await untilCount(page, 50)
    await next?.click()
    await untilCount(page, 2)
    expect(new URL(page.url()).search).toMatch(/outcome=completed&before=req_\w+$/)
    expect(await next?.isDisabled()).toBe(true)
    await previous?.click()
    await untilCount(page, 50)
    // A page without a match is not the end.
    const before = 'req_0548d72d5ec00000'
    await page.route(/api\/requests\?(?!.*before)/, (route) => route.fulfill({ json: { items: [], next: before } }))
    await page.reload()
    await page.getByText('None of the newer requests matches').waitFor()
    await page.getByRole('button', { name: 'Search older requests' }).click()
    await page.getByText('No request matches these filters.').waitFor()
    expect(new URL(page.url()).search).toContain(before)
  })
})

test('periods, measures and groups of the chart', async () => {
  const account = await usedAccount()
  await visit('/usage', { account }, async ({ page }) => {
    const values = page.locator('figure table')
    const chart = page.getByRole('img', { name: /^(Spend|Tokens), / })
    await untilCount(page, 11)
    for (const [period, steps] of [
      ['24 h', 24],
      ['30 d', 30],
      ['90 d', 90],
      ['7 d', 7],
    ] as const) {
      await page.getByText(period, { exact: true }).click()
      await untilSteps(page, steps)
    }
    const spent = await totalSpent(page)
    // The table for screen readers has the exact values: they add up to the sum above the chart.
    const sum = async () =>
      (await values.locator('tr td:nth-of-type(1)').allInnerTexts()).reduce((all, each) => all + exact(each), 0n)
    expect(await sum()).toBe(exact(spent))
    for (const name of ['gpt-y', 'flaky', 'painter'])
      await page.locator('figcaption').getByText(name, { exact: true }).waitFor()
    await page.getByRole('radio', { name: 'Key', exact: true }).focus()
    await page.keyboard.press('Space')
    for (const name of ['laptop', 'server']) await page.locator('figcaption').getByText(name, { exact: true }).waitFor()
    expect(await sum()).toBe(exact(spent))
    await page.getByText('Tokens', { exact: true }).nth(1).click()
    await page.getByRole('img', { name: /^Tokens, / }).waitFor()
    // The bar in focus moves with the arrow keys.
    const before = await page.locator('figcaption').innerText()
    await chart.focus()
    await page.keyboard.press('ArrowLeft')
    expect(await page.locator('figcaption').innerText()).not.toBe(before)

    await page.getByText('Custom', { exact: true }).click()
    const [from, to] = [page.getByLabel('From (UTC)'), page.getByLabel('To (UTC)')]
    const today = await to.inputValue()
    await from.fill('2100-01-01')
    await page.getByText('Choose two days, the earlier one first').waitFor()
    await from.fill(today)
    await untilSteps(page, 24)
    expect(new URL(page.url()).search).toContain(`from=${today}&to=${today}`)
    expect(await totalSpent(page)).toBe(spent)
    await from.fill('2026-01-01')
    await to.fill('2026-01-02')
    await page.getByText('No requests in this period.').waitFor()
    await stat(page, 'Spent').getByText('0.00').waitFor()
  })
})

test('a receipt: lines that add up to the charge, attempts, warnings, timing and the id', async () => {
  const account = await usedAccount()
  await visit('/usage', { account }, async ({ page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await untilCount(page, 11)
    const drawer = page.getByRole('dialog', { name: 'Receipt' })
    const charge = drawer.getByRole('table', { name: 'How the cost was calculated' })
    for (let index = 0; index < 11; index++) {
      const row = rows(page).nth(index)
      const cell = row.locator('td').nth(4)
      // Rounded amounts have all their digits in the title.
      const rounded = cell.locator('[title]')
      const cost = plain(
        (await rounded.count()) > 0 ? ((await rounded.getAttribute('title')) ?? '') : await cell.innerText(),
      )
      await row.getByRole('button').click()
      await drawer.getByText('Request ID').first().waitFor()
      if (cost === '0.00 USD' && (await charge.count()) === 0) await drawer.getByText('Nothing was charged.').waitFor()
      else {
        const costs = (await charge.locator('tbody td').allInnerTexts()).map(exact)
        expect(costs.reduce((sum, each) => sum + each, 0n)).toBe(exact(cost))
        expect(plain(await charge.locator('tfoot td').innerText())).toBe(cost)
      }
      await page.keyboard.press('Escape')
      await drawer.waitFor({ state: 'detached' })
      expect(await row.getByRole('button').evaluate((button) => button.matches(':focus'))).toBe(true)
    }

    const opened = async (model: string, text: string) => {
      await page.goto(`${open.gateway.url}/console/usage?model=${model}`)
      await rows(page).first().getByRole('button').click()
      await drawer.getByText(text).first().waitFor()
      return plain(await drawer.innerText())
    }
    // The newest request to `gpt-y` is that of the group `third`.
    expect(await opened('gpt-y', 'Output tokens')).toMatch(/Input tokens \d+ × 2\.00 USD per million × 0\.333333 /)
    expect(await opened('painter', 'Images')).toContain('2 × 0.04 USD × 0.333333 0.02666664 USD')
    const flaky = await opened('flaky', 'Attempt 2')
    expect(flaky).toContain('Attempt 1 flaky 503')
    expect(flaky).toContain('Attempt 2 flaky Completed')
    expect(flaky).toContain('service_tier;no-price')
    expect(flaky).toContain('Key laptop')
    expect(flaky).toMatch(/Timing First token [\d.]+ m?s .*Total [\d.]+ m?s/)
    const id = /req_\w+/.exec(flaky)?.[0] ?? ''
    await drawer.getByRole('button', { name: 'Copy Request ID' }).click()
    await drawer.getByRole('button', { name: 'Copied Request ID' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id)
    // An id from a log or an error leads to its receipt.
    await page.goto(`${open.gateway.url}/console/usage`)
    await page.getByRole('textbox', { name: 'Request ID' }).fill(id)
    await page.keyboard.press('Enter')
    await drawer.getByText(id).first().waitFor()
    // A link to a receipt works by itself.
    await page.goto(`${open.gateway.url}/console/usage?request=${id}`)
    await drawer.getByText('Attempt 2').waitFor()
    await page.goto(`${open.gateway.url}/console/usage?request=req_0000000000000000`)
    await drawer.getByRole('alert').getByText('no receipt for this request').waitFor()
  })
})

test('skeletons have the size of what follows, and an error can be retried', async () => {
  const account = await usedAccount()
  await visit('/settings', { account }, async ({ page }) => {
    await expectNoShift(page, `${open.gateway.url}/console/usage`, () => untilCount(page, 11))
    const works = await failFirst(page, ['usage', 'requests'])
    await page.goto(`${open.gateway.url}/console/usage`)
    const chart = page.getByRole('region', { name: 'Spend' }).getByRole('alert')
    const requests = page.getByRole('region', { name: 'Requests' }).getByRole('alert')
    await chart.getByText('The test says so.').waitFor()
    await requests.getByText('The test says so.').waitFor()
    await expectWellShown(page, 'usage-error', inTheme(false))
    works()
    await chart.getByRole('button', { name: 'Retry' }).click()
    await requests.getByRole('button', { name: 'Retry' }).click()
    await untilCount(page, 11)
    await page.locator('figure').waitFor()
  })
})

test.each(LANGUAGES)('usage and a receipt are accessible and fit the screen: %j', async (language) => {
  const view = { ...language, account: await usedAccount() }
  await visit('/usage?from=2026-01-01&to=2026-01-31', view, async ({ page }) => {
    await page.locator('main a[href="/console/playground"]').waitFor()
    await expectWellShown(page, `usage-empty-${language.locale}`, inTheme(language.dark))
    await page.goto(`${open.gateway.url}/console/usage`)
    await untilCount(page, 11)
    await expectWellShown(page, `usage-${language.locale}`, inTheme(language.dark))
    await rows(page).nth(2).getByRole('button').click()
    await page.locator('dialog[open] dl').waitFor()
    await expectWellShown(page, `receipt-${language.locale}`, inTheme(language.dark))
  })
})
