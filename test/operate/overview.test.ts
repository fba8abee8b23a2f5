// The overview of the operators' console: what needs them, figures that lead to their rows, and no costs for roles without the permission.
import { beforeAll, expect, test } from 'bun:test'
import { expectWellShown, OPPOSITES } from '../support/console/page.ts'
import { operate } from '../support/gateway/operate.ts'
import { useOperators } from '../support/operators.ts'

const CONFIG = `
sandbox: true
upstreams: [{ id: dead, dialect: chat, base_url: "http://127.0.0.1:9/v1", keys: [any], allow_private: true }]
models:
  - { id: gone, routes: [{ upstream: dead, model: x }], price: { input: 1, output: 1 } }
  - { id: unpriced, routes: [{ upstream: dead, model: y }] }
`

const open = useOperators({ config: CONFIG })
const { visit, as } = open

beforeAll(async () => {
  const { gateway } = open
  const { id } = await operate<{ id: string }>(gateway, 'account create', { name: 'Ada', credit_usd: '5' })
  const { secret } = await operate<{ secret: string }>(gateway, 'key create', { account: id, name: 'k' })
  for (const model of ['sandbox-text', 'sandbox-text', 'sandbox-text', 'gone']) {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await answer.text()
  }
})

test('shows what needs an operator and figures, which lead to their requests', async () => {
  await visit('/operate/overview', { account: await as('owner') }, async ({ page }) => {
    await page.getByText('Model unpriced has no price, so nobody can use it').waitFor()
    expect(await page.getByRole('link', { name: 'Set a price' }).getAttribute('href')).toEndWith(
      '/operate/models?model=unpriced',
    )
    await page.getByRole('link', { name: '25%', exact: true }).first().waitFor()
    await page.getByText('1 failed').waitFor()
    await page.getByText('Margin, at most:').first().waitFor()
    const accounts = page.getByRole('table', { name: 'Top accounts' })
    expect(await accounts.getByRole('row').nth(1).innerText()).toContain('Ada')
    await page.getByRole('table', { name: 'Top models' }).getByRole('link', { name: 'sandbox-text' }).waitFor()
    expect(await page.getByRole('table', { name: 'Top errors' }).getByRole('row').count()).toBe(2)
    await page.getByRole('radio', { name: '1 hour' }).check({ force: true })
    await page.waitForURL(/range=1h/)
    await page.getByRole('link', { name: '4', exact: true }).first().waitFor()
    await page.getByRole('radio', { name: '24 hours' }).check({ force: true })
    await expectWellShown(page, 'operate-overview', OPPOSITES)
    await page.getByRole('link', { name: '25%', exact: true }).first().click()
    await page.waitForURL(/operate\/requests\?outcome=errors&range=24h/)
  })
})

test('a viewer sees no costs, and an error has a retry', async () => {
  await visit('/operate/overview', { account: await as('viewer') }, async ({ page }) => {
    await page.getByText('Top accounts').first().waitFor()
    expect(await page.getByText('Margin').count()).toBe(0)
    expect(await page.getByText('Cost', { exact: true }).count()).toBe(0)
    await page.route('**/admin/v1/overview**', (route) => route.abort())
    await page.getByRole('radio', { name: '7 days' }).check({ force: true })
    await page.reload()
    await page.getByRole('button', { name: 'Retry' }).waitFor()
    await page.unroute('**/admin/v1/overview**')
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('Top accounts').first().waitFor()
  })
})
