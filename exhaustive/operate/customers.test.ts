// Accounts, keys and codes in the operators' console.
import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type AdminClient, adminClient } from '../../test/support/admin/admin-client.ts'
import { expectWellShown } from '../../test/support/console/page.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { useOperators } from '../../test/support/operators.ts'

const open = useOperators()
const { visit, as } = open
let admin: AdminClient
/** Both widths and both themes, in two looks. */
const TWO = [
  { width: 1280, dark: false },
  { width: 360, dark: true },
]
const ids: string[] = []
type Key = { id: string; name: string; cap_usd: string; last_four: string; former_secret_until: string | null }

beforeAll(async () => {
  const { secret } = await operate<{ secret: string }>(open.gateway, 'admin-key create', { name: 'o', role: 'owner' })
  admin = adminClient(open.gateway.url, secret)
  for (const [index, email] of ['ada@acme.example.com', 'bob@acme.example.com', 'eve@other.example.com'].entries()) {
    const { body } = await admin<{ id: string }>('POST', 'accounts', { body: { email, credit_usd: `${index + 5}` } })
    ids.push(body.id)
    const terms = index === 0 ? { cap_usd: '0.0001', cap_period: 'month', expires_at: '2099-01-31T12:00:00Z' } : {}
    const key = { account: body.id, name: `key of ${email.slice(0, 3)}`, ...terms }
    const made = await admin<{ secret: string }>('POST', 'keys', { body: key })
    if (index !== 1) continue
    const answer = await fetch(`${open.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.body.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(answer.status).toBe(200)
  }
})

const accountOf = async (index: number) => (await admin('GET', `accounts/${ids[index]}`)).body

test('accounts are searched, and several are disabled at once after a dry run', async () => {
  await visit('/operate/accounts', { account: await as('owner') }, async ({ page }) => {
    await page.getByRole('searchbox', { name: 'Email, name or ID' }).fill('ACME.example')
    await page.waitForURL(/search=ACME/)
    const rows = page.getByRole('row')
    await page.getByRole('button', { name: /^bob@acme/ }).waitFor()
    await rows.filter({ hasText: 'eve@other' }).waitFor({ state: 'detached' })
    await expectWellShown(page, 'operate-accounts', TWO)
    const first = rows.nth(1)
    for (const [order, email] of [
      ['spent', 'bob'],
      ['balance', 'ada'],
      ['last_used', 'bob'],
      ['unused', 'ada'],
    ] as const) {
      await page.getByLabel('Order', { exact: true }).selectOption(order)
      await page.waitForURL(new RegExp(`order=${order}`))
      await first.filter({ hasText: `${email}@acme` }).waitFor()
    }
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByText('2 selected').waitFor()
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Disable' }).click()
    const dialog = page.getByRole('dialog', { name: 'Disable 2 accounts?' })
    await dialog.getByText('2 will change.').waitFor()
    await dialog.getByText('2 active keys stop working.').waitFor()
    await expectWellShown(page, 'operate-accounts-bulk', TWO)
    await dialog.getByLabel('Reason').fill('abuse')
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('2 selected').waitFor({ state: 'detached' })
    expect([(await accountOf(0)).disabled, (await accountOf(1)).disabled, (await accountOf(2)).disabled]).toEqual([
      true,
      true,
      false,
    ])
    await admin('POST', 'accounts/bulk', { body: { accounts: ids, act: 'enable' } })
  })
})

test('a credit shows the balance after it, and needs a reason', async () => {
  await visit(`/operate/accounts/${ids[2]}`, { account: await as('finance') }, async ({ page }) => {
    await page.getByRole('region', { name: 'Spending by model' }).first().waitFor()
    await page.getByRole('region', { name: 'Last errors' }).getByText('No request has failed.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'All accounts' }).waitFor()
    await expectWellShown(page, 'operate-account', TWO)
    await page.getByRole('button', { name: 'Add credit', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Add credit to eve@other.example.com' })
    await form.getByLabel('Amount (USD)').fill('-100')
    await form.getByRole('button', { name: 'Check' }).click()
    await form.getByRole('alert').waitFor()
    await form.getByLabel('Amount (USD)').fill('2.5')
    await form.getByRole('button', { name: 'Check' }).click()
    const act = page.getByRole('dialog', { name: 'Add 2.5 USD of credit?' })
    await act.getByText('The balance will be 9.50 USD.').waitFor()
    await act.getByRole('button', { name: 'Confirm' }).click()
    await act.getByText('Enter a reason.').waitFor()
    expect((await accountOf(2)).balance_usd).toBe('7.00')
    await act.getByLabel('Reason').fill('invoice 42')
    await act.getByRole('button', { name: 'Confirm' }).click()
    await form.waitFor({ state: 'detached' })
    expect((await accountOf(2)).balance_usd).toBe('9.50')
    await page.getByRole('tab', { name: 'Ledger' }).click()
    await page.getByRole('row').filter({ hasText: 'invoice 42' }).getByText('+2.50').waitFor()
  })
})

test('an account shows the keys that have nearly spent their cap', async () => {
  const { body } = await admin<{ data: (Key & { spent_usd: string })[] }>('GET', `keys?account=${ids[1]}`)
  const [key] = body.data
  await admin('PATCH', `keys/${key?.id}`, { body: { cap_usd: key?.spent_usd } })
  await visit(`/operate/accounts/${ids[1]}`, { account: await as('viewer') }, async ({ page }) => {
    const near = page.getByRole('region', { name: 'Keys near their cap' }).first()
    await near.getByRole('link', { name: /^key of bob/ }).waitFor()
    await near.getByRole('img', { name: /spent/ }).waitFor()
    await expectWellShown(page, 'operate-account-near-cap', TWO)
  })
  await admin('PATCH', `keys/${key?.id}`, { body: { cap_usd: null } })
})

test('support changes limits, writes notes and finds both in the history; money is for others', async () => {
  await visit(`/operate/accounts/${ids[0]}/limits`, { account: await as('support') }, async ({ page }) => {
    await page.getByRole('button', { name: /^Add credit\s*Needs finance/ }).waitFor()
    await page.getByLabel('Requests per minute').fill('many')
    const section = page.getByRole('region', { name: 'Rate limits' })
    await section.getByRole('button', { name: 'Save' }).click()
    await section.getByText('Enter a whole number above zero.').waitFor()
    await page.getByLabel('Requests per minute').fill('60')
    await section.getByRole('button', { name: 'Save' }).click()
    const act = page.getByRole('dialog', { name: /^Change the limits/ })
    await act.getByText('60').waitFor()
    await act.getByRole('button', { name: 'Save' }).click()
    await act.waitFor({ state: 'detached' })
    expect((await accountOf(0)).limits).toMatchObject({ rpm: 60 })
    await page.getByRole('tab', { name: 'Notes' }).click()
    await page.getByLabel('What should a colleague know?').fill('Pays by invoice.')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Pays by invoice.' }).waitFor()
    await expectWellShown(page, 'operate-account-notes', TWO)
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByText('wrote a note on').first().waitFor()
    await page.getByText('changed the limits of').first().waitFor()
  })
})

test('the other tabs show keys, requests, people', async () => {
  await visit(`/operate/accounts/${ids[1]}/requests`, { account: await as('viewer') }, async ({ page }) => {
    await page.getByRole('row').filter({ hasText: 'sandbox-text' }).waitFor()
    await page.getByRole('tab', { name: 'Keys' }).click()
    await page.getByRole('row').filter({ hasText: 'key of bob' }).waitFor()
    await page.getByRole('tab', { name: 'People' }).click()
    await page.getByRole('row').filter({ hasText: 'bob@acme.example.com' }).waitFor()
    await page.getByRole('tab', { name: 'Limits' }).click()
    await page.getByRole('region', { name: 'Credit line' }).waitFor()
    await expectWellShown(page, 'operate-account-limits', TWO)
  })
})

test('people are added with a cap, get a link and leave, whatever other accounts they have', async () => {
  const people = async () =>
    (
      await admin<{ people: { email: string; role: string; cap_usd: string | null }[] }>(
        'GET',
        `accounts/${ids[0]}/members`,
      )
    ).body.people.map(({ email, role, cap_usd }) => [email.slice(0, 3), role, cap_usd])
  await visit(`/operate/accounts/${ids[0]}/people`, { account: await as('owner') }, async ({ page }) => {
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for bob@acme.example.com' }).click()
      await page.getByRole('menuitem', { name, exact: true }).click()
    }
    await page.getByRole('button', { name: 'Add person' }).click()
    const form = page.getByRole('dialog', { name: 'Add a person' })
    await form.getByLabel('Email').fill('bob@acme.example.com')
    await form.getByLabel('Spending cap (USD)').fill('20')
    await expectWellShown(page, 'operate-account-member', TWO)
    await form.getByRole('button', { name: 'Check' }).click()
    const add = page.getByRole('dialog', { name: 'Add bob@acme.example.com?' })
    await add.getByRole('button', { name: 'Add person' }).click()
    await form.waitFor({ state: 'detached' })
    expect(await people()).toEqual([
      ['ada', 'owner', null],
      ['bob', 'member', '20.00'],
    ])
    await choose('Create a sign-in link')
    await page.getByRole('dialog').getByRole('button', { name: 'Create a sign-in link' }).click()
    const link = page.getByRole('dialog', { name: 'Sign-in link' })
    await link.getByText('/console/setup#').waitFor()
    await expectWellShown(page, 'operate-account-link', TWO)
    await link.getByLabel('I have stored it').check()
    await link.getByRole('button', { name: 'Done' }).click()
    await choose('Edit')
    const edit = page.getByRole('dialog', { name: 'Edit bob@acme.example.com' })
    await edit.getByLabel('Spending cap (USD)').fill('')
    await edit.getByRole('button', { name: 'Check' }).click()
    await page.getByRole('dialog', { name: 'Change bob@acme' }).getByRole('button', { name: 'Save' }).click()
    await edit.waitFor({ state: 'detached' })
    expect((await people())[1]).toEqual(['bob', 'member', null])
    await expectWellShown(page, 'operate-account-people', TWO)
    await choose('Remove, keep the keys')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('row').filter({ hasText: 'bob@acme' }).waitFor({ state: 'detached' })
    expect(await people()).toEqual([['ada', 'owner', null]])
  })
})

test('keys by quick views, edited one by one and several at once', async () => {
  await visit('/operate/keys', { account: await as('support') }, async ({ page }) => {
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    await row('key of eve').waitFor()
    await expectWellShown(page, 'operate-keys', TWO)
    await page.getByText('No cap', { exact: true }).first().click()
    await row('key of ada').waitFor({ state: 'detached' })
    await page.getByText('Never used', { exact: true }).click()
    await row('key of bob').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^key of ada/ }).click()
    const drawer = page.getByRole('dialog', { name: 'Edit key of ada' })
    await drawer.getByLabel('Spending cap (USD)').fill('12.5')
    await expectWellShown(page, 'operate-key-drawer', TWO)
    await drawer.getByRole('button', { name: 'Save' }).click()
    const act = page.getByRole('dialog', { name: 'Change the key key of ada?' })
    await act.getByText('12.5').waitFor()
    await act.getByRole('button', { name: 'Save' }).click()
    await drawer.waitFor({ state: 'detached' })
    for (const name of ['ada', 'eve']) await page.getByRole('checkbox', { name: `Select key of ${name}` }).check()
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Edit' }).click()
    const bulk = page.getByRole('dialog', { name: 'Edit 2 keys' })
    await bulk.getByRole('button', { name: 'Check' }).click()
    await bulk.getByText('Enter at least one change.').waitFor()
    await bulk.getByLabel('Spending cap (USD)').fill('12.5')
    await bulk.getByLabel('Cap resets').selectOption('month')
    await bulk.getByRole('button', { name: 'Check' }).click()
    const many = page.getByRole('dialog', { name: 'Edit 2 keys' }).last()
    await many.getByText('1 stays the same.').waitFor()
    await many.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByText('2 selected').waitFor({ state: 'detached' })
    const { body } = await admin<{ data: Key[] }>('GET', `keys?account=${ids[2]}`)
    const [{ id = '', last_four = '' } = {}] = body.data
    await page.goto(`${open.gateway.url}/console/operate/keys?key=${id}`)
    await page.getByRole('dialog', { name: 'Edit key of eve' }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Actions for key of eve' }).click()
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click()
    const rotate = page.getByRole('dialog', { name: 'Rotate the secret of key of eve?' })
    await rotate.getByLabel('Current secret stops working').selectOption('hour')
    await rotate.getByRole('button', { name: 'Rotate secret' }).click()
    await rotate.last().getByLabel('Reason').fill('leaked')
    await rotate.last().getByRole('button', { name: 'Rotate secret' }).click()
    const secret = page.getByRole('dialog').filter({ hasText: 'I have stored it' })
    await secret.getByText(/sk-[\w-]+/).waitFor()
    await secret.getByLabel('I have stored it').check()
    await secret.getByRole('button', { name: 'Done' }).click()
    const { former_secret_until, ...rotated } = (await admin<Key>('GET', `keys/${id}`)).body
    expect([rotated.last_four === last_four, former_secret_until === null]).toEqual([false, false])
    expect(body.data).toMatchObject([{ name: 'key of eve', cap_usd: '12.50' }])
  })
})

test('codes are made, downloaded once, and revoked', async () => {
  await visit('/operate/codes', { account: await as('finance') }, async ({ page }) => {
    await page.getByText('No codes yet').waitFor()
    await page.getByRole('button', { name: 'Create codes' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create codes' })
    await form.getByLabel('Label of the batch').fill('spring')
    await form.getByLabel('Amount per code (USD)').fill('10')
    await form.getByLabel('Number of codes').fill('3')
    await form.getByRole('button', { name: 'Check' }).click()
    const act = page.getByRole('dialog', { name: 'Create the codes of spring?' })
    await act.getByText('Total value: 30.00 USD.').waitFor()
    await act.getByRole('button', { name: 'Create codes' }).click()
    const made = page.getByRole('dialog', { name: 'Store these codes now' })
    await made.waitFor()
    await expectWellShown(page, 'operate-codes-new', TWO)
    const waiting = page.waitForEvent('download')
    await made.getByRole('button', { name: 'Download CSV' }).click()
    const lines = readFileSync(await (await waiting).path(), 'utf8')
      .trim()
      .split('\r\n')
    expect([lines.length, lines[0]]).toEqual([4, 'code,amount_usd,expires_at'])
    await made.getByLabel('I have stored it').check()
    await made.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row').filter({ hasText: 'spring' }).getByText('0 of 3').waitFor()
    await expectWellShown(page, 'operate-codes', TWO)
    await page.getByRole('button', { name: 'spring' }).click()
    const drawer = page.getByRole('dialog', { name: 'spring' })
    await drawer.getByText('Open').first().waitFor()
    await expectWellShown(page, 'operate-codes-batch', TWO)
    await drawer.getByRole('button', { name: 'Revoke unused' }).click()
    const revoke = page.getByRole('dialog', { name: 'Revoke the unused codes of spring?' })
    await revoke.getByText('30.00 USD can no longer be redeemed.').waitFor()
    await revoke.getByRole('button', { name: 'Revoke unused' }).click()
    await drawer.getByText('Revoked').first().waitFor()
  })
})

test('an account without people is created in Chinese, too', async () => {
  const view = { account: await as('owner'), locale: 'zh-CN', dark: true }
  await visit('/operate/accounts', view, async ({ page }) => {
    await page.getByRole('button', { name: '创建账户' }).first().click()
    await page.getByLabel('邮箱或名称').fill('夜间任务')
    await page.getByRole('button', { name: '预览更改' }).click()
    const act = page.getByRole('dialog', { name: '创建账户 夜间任务？' })
    await act.getByRole('button', { name: '创建账户' }).click()
    await page.getByRole('heading', { level: 1, name: '夜间任务' }).waitFor()
    await page.getByRole('button', { name: '更多操作' }).click()
    await page.getByRole('menuitem', { name: '重命名' }).click()
    const form = page.getByRole('dialog', { name: '重命名 夜间任务' })
    await form.getByLabel('名称').fill('日间任务')
    await form.getByRole('button', { name: '预览更改' }).click()
    const rename = page.getByRole('dialog', { name: '重命名 夜间任务？' })
    await rename.getByRole('button', { name: '重命名' }).click()
    await page.getByRole('heading', { level: 1, name: '日间任务' }).waitFor()
    await expectWellShown(page, 'operate-account-zh', [{ width: 1280, dark: true }])
  })
})
