// Usage, Margin and Ledger as operators see them: the sums on the page are those of the API and of the CSV file, to the last digit.
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectWellShown, LANGUAGES, OPPOSITES } from '../../test/support/console/page.ts'
import { COOKIE } from '../../test/support/gateway/console.ts'
import { chat } from '../../test/support/gateway/gateway.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { useOperators } from '../../test/support/operators.ts'

const open = useOperators({
  config: `
upstreams: [{ id: north, kind: sandbox }, { id: south, kind: sandbox }]
models:
  - { id: earning, routes: [{ upstream: north, model: sandbox-text, cost: { input: 1, output: 4 } }], price: { input: 3, output: 9 } }
  - { id: losing, routes: [{ upstream: south, model: sandbox-text, cost: { input: 50, output: 90 } }], price: { input: 2, output: 5 } }
  - { id: mystery, routes: [{ upstream: south, model: sandbox-text }], price: { input: 2, output: 8 } }
`,
})
const { visit, as } = open

beforeAll(async () => {
  for (const name of ['ada', 'bob']) {
    const { id } = await operate<{ id: string }>(open.gateway, 'account create', { name, credit_usd: '5' })
    const { secret } = await operate<{ secret: string }>(open.gateway, 'key create', {
      account: id,
      name: `${name}-key`,
    })
    for (const model of ['earning', 'earning', 'losing', 'mystery']) {
      const { status } = await chat(open.gateway.url, secret, { model, messages: [{ role: 'user', content: name }] })
      expect(status).toBe(200)
    }
  }
})

type Sums = { requests: number; charged_usd: string; margin_usd: string }
const usage = async (query: string): Promise<Sums[]> => {
  const finance = await as('finance')
  const response = await fetch(`${open.gateway.url}/admin/v1/usage?${query}`, {
    headers: { cookie: `${COOKIE}=${finance.client.token()}`, origin: open.gateway.url },
  })
  return ((await response.json()) as { data: Sums[] }).data
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const rowOf = (page: Page, table: string, name: string) =>
  page.getByRole('region', { name: table }).getByRole('row').filter({ hasText: name })

test('usage is grouped by one or two dimensions, and each row leads to its requests', async () => {
  await visit('/operate/usage', { account: await as('finance') }, async ({ page }) => {
    await heading(page, 'Usage')
    await rowOf(page, 'By group', 'ada').waitFor()
    await expectWellShown(page, 'operate-usage', OPPOSITES)
    await page.getByLabel('Group by').selectOption('model')
    await page.getByLabel('Then by').selectOption('upstream')
    const row = rowOf(page, 'By group', 'losing')
    await row.getByText('south').waitFor()
    expect(await row.innerText()).toContain('loss')
    expect(await rowOf(page, 'By group', 'mystery').innerText()).toContain('at most')
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Download CSV').click()])
    const path = await download.path()
    const lines = (await Bun.file(path).text()).trimEnd().split('\r\n')
    expect([lines.length, lines[0]?.split(',').slice(0, 3)]).toEqual([4, ['id', 'model', 'upstream']])
    await row.getByRole('button').click()
    await page.waitForURL(/\/operate\/requests\?.*model=losing.*upstream=south|upstream=south.*model=losing/)
  })
})

test('support sees usage without costs', async () => {
  await visit('/operate/usage?by=model', { account: await as('support') }, async ({ page }) => {
    await rowOf(page, 'By group', 'losing').waitFor()
    const headers = await page.getByRole('region', { name: 'By group' }).getByRole('columnheader').allInnerTexts()
    expect(headers).toEqual(['Model', 'Charged, USD', 'Requests', 'Tokens'])
    expect(await page.getByText('loss', { exact: true }).count()).toBe(0)
  })
})

test('margin names losses, and unknown costs with their requests', async () => {
  const [total] = await usage('from=2026-01-01')
  await visit('/operate/margin?by=model', { account: await as('finance') }, async ({ page }) => {
    await heading(page, 'Margin')
    const losing = rowOf(page, 'Breakdown', 'losing')
    await losing.waitFor()
    const text = await losing.innerText()
    expect(text).toMatch(/−0\.\d+ USD/)
    expect(text).toContain('loss')
    await page.getByTitle(`${total?.charged_usd} USD`).first().waitFor()
    await page.getByText('Unknown costs are not estimated').waitFor()
    await expectWellShown(page, 'operate-margin', OPPOSITES)
    const unknown = rowOf(page, 'Breakdown', 'mystery').getByRole('link')
    expect(await unknown.innerText()).toBe('2')
    await unknown.click()
    await page.waitForURL(/unknown_cost=true/)
  })
})

test('the ledger adds up, an audit runs with its result, and transfers are filtered', async () => {
  await visit('/operate/ledger', { account: await as('finance') }, async ({ page }) => {
    await page.getByText('Zero, as it should be').waitFor()
    await page.getByRole('button', { name: 'Audit now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Audit now' }).click()
    await page.getByText('Consistent').first().waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Kind' }).click()
    await page.getByRole('region', { name: 'Transfers' }).getByRole('row').nth(1).waitFor()
    await page.getByLabel('Kind', { exact: true }).selectOption('credit')
    await page.waitForURL(/kind=credit/)
    await rowOf(page, 'Transfers', 'Charge').first().waitFor({ state: 'detached' })
    await rowOf(page, 'Transfers', 'ada').waitFor()
    const kinds = await page.getByRole('region', { name: 'Transfers' }).getByRole('row').allInnerTexts()
    expect(kinds.slice(1).every((row) => row.includes('Credit'))).toBe(true)
    await expectWellShown(page, 'operate-ledger', OPPOSITES)
  })
})

test('a viewer reads the ledger, and is told who can start an audit', async () => {
  await visit('/operate/ledger', { account: await as('viewer') }, async ({ page }) => {
    const button = page.getByRole('button', { name: 'Audit now' })
    await button.waitFor()
    expect([await button.isDisabled(), await button.innerText()]).toEqual([
      true,
      expect.stringContaining('Needs finance'),
    ])
  })
})

test('all three in Chinese', async () => {
  const locale = LANGUAGES.at(-1)?.locale ?? 'zh-CN'
  for (const [path, title] of [
    ['usage', '用量'],
    ['margin', '毛利'],
    ['ledger', '账本'],
  ] as const)
    await visit(`/operate/${path}`, { account: await as('owner'), locale }, async ({ page }) => {
      await heading(page, title)
      await page.getByRole('row').nth(2).waitFor()
      await expectWellShown(page, `operate-${path}-zh`, [{ width: 1280, dark: false }])
    })
})
