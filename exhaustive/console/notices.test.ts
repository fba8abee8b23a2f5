// Notices and statements in a real browser: what a person chooses, where the account's notices go, what was told, and what is printed.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import type { KeyWithSecret } from '../../packages/console/src/api/types.ts'
import { SMTP_CERTIFICATE, startSmtp, type TestSmtp } from '../../packages/gateway/test-support/smtp-server.ts'
import { adminClient } from '../../test/support/admin/admin-client.ts'
import { expectWellShown, LANGUAGES } from '../../test/support/console/page.ts'
import { type Account, useConsole } from '../../test/support/console/use-console.ts'
import { sendText, VARIED_MODELS, VARIED_UPSTREAMS } from '../../test/support/console/varied-requests.ts'
import { eventually } from '../../test/support/eventually.ts'

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const SHOTS = process.env.TRIVIUM_TEST_SHOTS

let smtp: TestSmtp
let hook: ReturnType<typeof Bun.serve>
const received: { type: string }[] = []
beforeAll(() => {
  hook = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      received.push((await request.json()) as { type: string })
      return new Response(null, { status: 204 })
    },
  })
})
afterAll(async () => {
  await hook.stop(true)
  await smtp.stop()
})

const open = useConsole(async () => {
  smtp = await startSmtp({ mode: 'starttls' })
  const config = `
sandbox: { faults: true }
callbacks: { allow_private: true }
console: { name: Example AI }
mail: { url: "smtp://localhost:${smtp.port}", from: gw@example.com, ca: ${SMTP_CERTIFICATE} }
upstreams: ${VARIED_UPSTREAMS}
models:${VARIED_MODELS}
`
  return { config }
})
const { visit, newAccount } = open

/** A key whose cap is all that it has spent. */
async function useUpCap({ client }: Account): Promise<void> {
  const { body } = await client.post<KeyWithSecret>('keys', { name: 'laptop' })
  const { key, secret } = body
  for (let index = 0; index < 3; index++) await sendText(open.gateway.url, secret, index)
  const spent = async () => (await client.get<{ spent_usd: string }>(`keys/${key.id}`)).body.spent_usd
  await eventually(async () => Number(await spent()) > 0)
  const capped = await client.post(`keys/${key.id}`, { cap_usd: await spent() })
  expect(capped.status).toBe(200)
}

async function shot(page: { screenshot(options: object): Promise<unknown> }, name: string): Promise<void> {
  if (SHOTS === undefined) return
  mkdirSync(SHOTS, { recursive: true })
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true })
}

test('a person chooses kinds, an owner sets a webhook, and the list says what was told', async () => {
  const account = await newAccount()
  await visit('/settings', { account }, async ({ page }) => {
    await page.getByRole('link', { name: 'Notices' }).click()
    const statement = page.getByLabel('The statement of a month is ready')
    await eventually(async () => !(await statement.isChecked()))
    await statement.click()
    await eventually(async () => (await page.getByRole('button', { name: 'Use the default' }).count()) === 1)
    expect(await statement.isChecked()).toBe(true)
    const url = page.getByLabel('URL', { exact: true })
    await url.fill('not a URL')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Enter a URL such as https://example.com/notices.').waitFor()
    await url.fill(hook.url.href)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Signing secret').first().waitFor()
    expect(await page.getByText(/^whsec_/).count()).toBe(1)
    await useUpCap(account)
    await page
      .getByText(/spending cap of key laptop|Key laptop has nothing left/)
      .first()
      .waitFor({ timeout: 60_000 })
    await eventually(async () => (await page.getByText('sent', { exact: true }).count()) >= 2, 30_000)
    expect(received.map(({ type }) => type)).toContainEqual(expect.stringMatching(/^notice\.(budget|key)$/))
    expect((await smtp.next()).to).toEqual([account.email])
    await expectWellShown(page, 'notices')
    await shot(page, 'notices')
    await page.getByRole('button', { name: 'Use the default' }).click()
    await page.getByText('As the operator has set it.').waitFor()
    expect(await statement.isChecked()).toBe(false)
  })
  const language = LANGUAGES.find(({ locale }) => locale.startsWith('zh'))
  await visit('/settings/notices', { account, locale: language?.locale ?? 'zh-CN' }, async ({ page }) => {
    await page
      .getByText(/密钥 laptop/)
      .first()
      .waitFor()
    await expectWellShown(page, 'notices in Chinese')
    await shot(page, 'notices-zh')
  })
  const { secret } = await open.gateway.command<{ secret: string }>(
    'admin-key',
    'create',
    '--name',
    'n',
    '--role',
    'viewer',
  )
  const listed = await adminClient(open.gateway.url, secret)<{ data: { kind: string; deliveries: object[] }[] }>(
    'GET',
    `accounts/${encodeURIComponent(account.email)}/notices`,
  )
  expect(listed.body.data[0]?.deliveries).toHaveLength(2)
  const printed = await open.gateway.cli('account', 'notices', '--account', account.email)
  expect(printed.stdout).toMatch(/sent to webhook; sent to person-1@example\.com/)
})

test('a statement adds up, in both languages, and is printed without what can only be clicked', async () => {
  const account = await newAccount()
  const { body } = await account.client.post<{ secret: string }>('keys', { name: 'laptop' })
  for (let index = 0; index < 3; index++) await sendText(open.gateway.url, body.secret, index)
  await visit('/wallet', { account }, async ({ page }) => {
    await page.getByRole('link', { name: MONTH.format(new Date()), exact: true }).click()
    await page.getByRole('heading', { name: `Statement of ${MONTH.format(new Date())}` }).waitFor()
    await page.getByRole('table', { name: 'By key' }).getByText('laptop').waitFor()
    await expectWellShown(page, 'statement')
    await shot(page, 'statement')
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('button', { name: 'Print' }).count()).toBe(0)
    expect(await page.getByRole('table', { name: 'By model' }).isVisible()).toBe(true)
    await shot(page, 'statement-print')
  })
  await visit(
    `/wallet/statements/${new Date().toISOString().slice(0, 7)}`,
    { account, locale: 'zh-CN' },
    async ({ page }) => {
      await page.getByText('期末余额').first().waitFor()
      await expectWellShown(page, 'statement in Chinese')
      await shot(page, 'statement-zh')
    },
  )
  const month = new Date().toISOString().slice(0, 7)
  type Charge = { charged_usd: string; requests: number }
  type Statement = Record<'models' | 'keys' | 'members' | 'days', Charge[]> & Record<string, string>
  const { body: statement } = await account.client.get<Statement>(`wallet/statement?month=${month}`)
  const nanos = (usd = '') => BigInt(usd.replace(/\.(\d+)$/, (_, digits: string) => digits.padEnd(9, '0')))
  for (const part of ['models', 'keys', 'members', 'days'] as const)
    expect(statement[part].reduce((sum, row) => sum + nanos(row.charged_usd), 0n)).toBe(nanos(statement.charged_usd))
  const { body: wallet } = await account.client.get<{ balance_usd: string }>('wallet')
  expect(statement.closing_balance_usd).toBe(wallet.balance_usd)
  expect(nanos(statement.opening_balance_usd) + nanos(statement.credited_usd) - nanos(statement.charged_usd)).toBe(
    nanos(wallet.balance_usd),
  )
})
