// Budgets in the operators' console: of all accounts, across accounts, and in the page of an account.
import { beforeAll, expect, test } from 'bun:test'
import { type AdminClient, adminClient } from '../../test/support/admin/admin-client.ts'
import { choose } from '../../test/support/console/choose.ts'
import { expectWellShown, LANGUAGES, OPPOSITES } from '../../test/support/console/page.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { useOperators } from '../../test/support/operators.ts'

const open = useOperators()
const { visit, as } = open
let admin: AdminClient
let account = ''
const EMAIL = 'somebody.with.a.long.address@department.example.com'

type Budget = Record<string, unknown> & { id: string }
const budgets = async (query = '') => (await admin<{ data: Budget[] }>('GET', `budgets?caps=false${query}`)).body.data

beforeAll(async () => {
  const { secret } = await operate<{ secret: string }>(open.gateway, 'admin-key create', { name: 'o', role: 'owner' })
  admin = adminClient(open.gateway.url, secret)
  account = (await admin<{ id: string }>('POST', 'accounts', { body: { email: EMAIL, credit_usd: '9' } })).body.id
  await admin('POST', 'keys', { body: { account, name: 'nightly', cap_usd: '8', cap_period: 'month' } })
})

test('a budget is checked, made, changed with its effects, and deleted', async () => {
  await visit('/operate/budgets', { account: await as('finance') }, async ({ page }) => {
    await page.getByRole('button', { name: 'Create budget' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create a budget' })
    await form.getByLabel('What it limits').selectOption('key_model')
    await choose(form, 'Key', `nightly (${EMAIL})`)
    await form.getByRole('combobox', { name: 'Model' }).click()
    await form.getByRole('combobox', { name: 'Model' }).fill('sandbox-text')
    await form.getByRole('option', { name: 'sandbox-text' }).click()
    await form.getByLabel('Amount (USD)').fill('20')
    await expectWellShown(page, 'operate-budget-form', OPPOSITES)
    await form.getByRole('button', { name: 'Check' }).click()
    const question = page.getByRole('dialog', { name: /^Create the budget/ })
    await question.getByText('1 active key is limited by it.').waitFor()
    await question.getByRole('button', { name: 'Create budget' }).click()
    await page.getByText('The budget was created.').waitFor()
    await page.getByRole('button', { name: 'sandbox-text with key nightly' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click()
    const change = page.getByRole('dialog', { name: /^Edit the budget/ })
    await change.getByLabel('Amount (USD)').fill('15')
    await change.getByRole('button', { name: 'Check' }).click()
    const asked = page.getByRole('dialog', { name: /^Change the budget/ })
    await asked.getByText('15.00 USD will be left.').waitFor()
    await expectWellShown(page, 'operate-budget-change', OPPOSITES)
    await asked.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The budget was changed.').waitFor()
  })
  const [made] = await budgets()
  expect(made).toMatchObject({ kind: 'key_model', account_id: account, model: 'sandbox-text', amount_usd: '15.00' })
  await visit(`/operate/budgets?budget=${made?.id}`, { account: await as('finance') }, async ({ page }) => {
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('dialog', { name: /^Delete the budget/ })
    await question.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The budget was deleted.').waitFor()
  })
  expect(await budgets()).toEqual([])
})

test.each([
  ['all', {}],
  ['group', { Group: 'default' }],
  ['tag', { Tag: 'team=search' }],
])('a budget across accounts of the kind %s is entered', async (kind, given: Record<string, string>) => {
  await visit('/operate/budgets?act=create', { account: await as('owner') }, async ({ page }) => {
    const form = page.getByRole('dialog', { name: 'Create a budget' })
    await form.getByLabel('What it limits').selectOption(kind)
    if (given.Group) await form.getByLabel('Group').selectOption(given.Group)
    if (given.Tag) await form.getByLabel('Tag').fill(given.Tag)
    await form.getByLabel('Amount (USD)').fill('99')
    await form.getByRole('button', { name: 'Check' }).click()
    await page
      .getByRole('dialog', { name: /^Create the budget/ })
      .getByRole('button', { name: 'Create budget' })
      .click()
    await page.getByText('The budget was created.').waitFor()
  })
  const [made] = await budgets('&across_accounts=true')
  expect(made).toMatchObject({ kind, account_id: null, amount_usd: '99.00' })
})

test('what is wrong stands beside its field', async () => {
  await visit('/operate/budgets?act=create', { account: await as('owner') }, async ({ page }) => {
    const form = page.getByRole('dialog', { name: 'Create a budget' })
    await form.getByLabel('What it limits').selectOption('member')
    await form.getByLabel('Amount (USD)').fill('1')
    await form.getByLabel('Member').fill('nobody@example.com')
    await form.getByRole('button', { name: 'Check' }).click()
    await form.getByRole('alert').filter({ hasText: 'Enter an account.' }).waitFor()
    await form.getByLabel('Account').fill(EMAIL)
    await form.getByRole('button', { name: 'Check' }).click()
    await form.getByRole('alert').waitFor()
    await expectWellShown(page, 'operate-budget-mistakes', OPPOSITES)
  })
})

test.each(LANGUAGES)('budgets and caps of all accounts and of one: %o', async (view) => {
  const isEnglish = view.locale === 'en-GB'
  const { body } = await admin<Budget>('POST', 'budgets', {
    body: { kind: 'tag', account, value: 'x'.repeat(64), amount_usd: '123456.123456789', period: 'day', alerts: [50] },
  })
  const viewer = { account: await as('viewer'), ...view }
  await visit('/operate/budgets', viewer, async ({ page }) => {
    await page.getByRole('button', { name: isEnglish ? 'Key nightly' : '密钥 nightly' }).waitFor()
    await expectWellShown(page, `operate-budgets-${view.locale}`, OPPOSITES)
    await page.getByText(isEnglish ? 'Over all accounts' : '跨账户', { exact: true }).click()
    await page.getByRole('button', { name: isEnglish ? 'Key nightly' : '密钥 nightly' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: isEnglish ? 'All accounts' : '所有账户', exact: true }).click()
    await page
      .getByRole('dialog')
      .getByText(isEnglish ? 'within 5 seconds' : '5 秒内')
      .waitFor()
    expect(
      await page
        .getByRole('dialog')
        .getByRole('button', { name: isEnglish ? 'Edit' : '编辑' })
        .isDisabled(),
    ).toBe(true)
    await expectWellShown(page, `operate-budget-${view.locale}`, OPPOSITES)
  })
  await visit(`/operate/accounts/${account}/budgets`, viewer, async ({ page }) => {
    await page.getByRole('button', { name: isEnglish ? 'Key nightly' : '密钥 nightly' }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('link', { name: isEnglish ? 'Open' : '打开' }).waitFor()
    await page.keyboard.press('Escape')
    await expectWellShown(page, `operate-account-budgets-${view.locale}`, OPPOSITES)
  })
  await admin('DELETE', `budgets/${body.id}`)
})
