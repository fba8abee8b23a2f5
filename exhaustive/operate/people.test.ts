// People and the audit log as operators use them: invite a colleague, give roles, make admin keys, and read who did what.
import { beforeAll, describe, expect, test } from 'bun:test'
import { inLanguage } from '../../packages/console/src/i18n/say.ts'
import { sentenceOf } from '../../packages/console/src/operate/pages/audit-log/sentence.ts'
import { auditLog } from '../../packages/console/src/operate/pages/audit-log/texts.ts'
import { fieldName } from '../../packages/console/src/operate/ui/differences.ts'
import { adminRoutes } from '../../packages/gateway/src/admin-api/routes.ts'
import { codeAt, decodeBase32 } from '../../packages/gateway/src/console-api/session/totp.ts'
import { WORDS } from '../../packages/gateway/src/operate/words/index.ts'
import type { Words } from '../../packages/gateway/src/operate/words/words.ts'
import { type AdminClient, adminClient } from '../../test/support/admin/admin-client.ts'
import { expectWellShown, LANGUAGES, OPPOSITES } from '../../test/support/console/page.ts'
import { changeStore } from '../../test/support/gateway/ask-store.ts'
import { consoleClient, outcomeOf, PASSWORD } from '../../test/support/gateway/console.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { useOperators } from '../../test/support/operators.ts'

const en = inLanguage(auditLog, 'en')
const zh = inLanguage(auditLog, 'zh')
const open = useOperators({ config: 'registration: { open: false }' })
const { visit, as, newAccount } = open

let owner: AdminClient
beforeAll(async () => {
  const { secret } = await operate<{ secret: string }>(open.gateway, 'admin-key create', {
    name: 'nightly',
    role: 'owner',
  })
  owner = adminClient(open.gateway.url, secret)
  const price = { input: '2.00', output: '8.00' }
  const main = { id: 'main', dialect: 'chat', base_url: 'http://127.0.0.1:9/v1', keys: ['k'] }
  await owner('POST', 'upstreams', { body: main })
  await owner('POST', 'models', { body: { id: 'gpt-x', routes: [{ upstream: 'main', model: 'm' }], price } })
  await owner('PATCH', 'models/gpt-x', {
    body: { price: { ...price, output: '9.00' }, reason: 'a more expensive upstream' },
  })
  for (const body of [{ role: 'viewer' }, { role: 'finance', email: 'frank@example.com' }])
    await owner('POST', 'invitations', { body })
})

const dialog = 'dialog[open]'

test('an owner invites a colleague by a link that is shown once, and who has it gets the role', async () => {
  const url = await visit('/operate/people', { account: await as('owner') }, async ({ page }) => {
    await page.getByRole('button', { name: 'Invite a colleague' }).click()
    await page.getByLabel('Email').fill('grace@example.com')
    await page.locator(dialog).getByLabel('Role').selectOption('support')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByLabel('Reason').fill('joins the support team')
    await expectWellShown(page, 'invite', [{ width: 360, dark: true }])
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = page.getByText(/\/console\/invitation#/)
    await link.waitFor()
    // Nothing but the person's own word closes it.
    await page.keyboard.press('Escape')
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true)
    const shown = (await link.innerText()).replace(/^.*?(?=http)/s, '')
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('tab', { name: 'Invitations' }).click()
    await page.getByRole('cell', { name: 'grace@example.com', exact: true }).waitFor()
    return shown
  })
  const token = url.split('#')[1] ?? ''
  const grace = consoleClient(open.gateway.url)
  const registered = await grace.post('register', { email: 'grace@example.com', password: PASSWORD, invitation: token })
  expect(outcomeOf(registered)).toBe('201')
  expect(outcomeOf(await grace.post('invitations/accept', { token }))).toBe('204')
  expect((await grace.get('session')).body.gateway_role).toBe('support')
})

test('an admin changes a role, sees what it ends, and undoes it; colleagues of a higher rank are out of reach', async () => {
  const { email } = await newAccount()
  const boss = await as('owner')
  await visit(`/operate/people?email=${email}`, { account: await as('admin') }, async ({ page }) => {
    await page.getByRole('button', { name: `Actions for ${email}` }).click()
    await page.getByRole('menuitem', { name: 'Change role' }).click()
    const roles = await page.locator(dialog).getByLabel('Role').locator('option').allInnerTexts()
    expect(roles).toEqual(['No role: account holder only', 'finance', 'support', 'viewer'])
    await page.locator(dialog).getByLabel('Role').selectOption('finance')
    await page.getByText('Credit, refunds').waitFor()
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByText('1 browser is signed out.').waitFor()
    await expectWellShown(page, 'role', [{ width: 1280, dark: false }])
    await page.getByRole('button', { name: 'Change role' }).last().click()
    await page.getByRole('cell', { name: 'finance' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Change role' }).last().click()
    await page.getByRole('cell', { name: 'No role' }).waitFor()

    await page.goto(`${open.gateway.url}/console/operate/people?role=owner`)
    await page.getByRole('button', { name: `Actions for ${boss.email}` }).click()
    const item = page.getByRole('menuitem', { name: 'Disable (needs a higher role)' })
    expect(await item.getAttribute('aria-disabled')).toBe('true')
  })
})

test('an admin key is made after a fresh code where the person has a second factor, and its secret is shown once', async () => {
  const person = await newAccount()
  await open.gateway.command('person', 'role', '--email', person.email, '--role', 'owner')
  const { client } = person
  await client.post('sign-in', { email: person.email, password: PASSWORD })
  const { secret } = (await client.post<{ secret: string }>('second-factor/begin', {})).body
  const codeOf = (ahead: number) =>
    codeAt(decodeBase32(secret) ?? new Uint8Array(), Math.floor(Date.now() / 30_000) + ahead)
  await client.post('second-factor/confirm', { secret, code: codeOf(0), password: PASSWORD })
  await changeStore(open.gateway.home, 'UPDATE session SET proved_at = proved_at - 600001')
  await visit('/operate/people?tab=adminKeys', { account: person }, async ({ page }) => {
    await page.getByRole('button', { name: 'Create admin key' }).click()
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByText('Enter a name').waitFor()
    await page.getByLabel('Name').fill('billing')
    await page.getByLabel('Networks').fill('nowhere')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.locator('[aria-invalid=true][name=networks]').waitFor()
    await page.getByLabel('Networks').fill('192.0.2.0/24')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('This code is wrong or has already been used.').waitFor()
    await page.getByLabel('Code').fill(codeOf(1))
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page
      .getByText(/^ak-|ak-[\w-]{43}/)
      .first()
      .waitFor()
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Delete the admin key billing' }).click()
    await page.getByText('Scripts that use it get 401 immediately.').waitFor()
    await page.locator(dialog).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The admin key billing was deleted.').waitFor()
  })
})

test('an admin key has the permissions that are left ticked, and the list names them', async () => {
  const made = async () =>
    (await owner<{ data: { name: string; role: string; permissions: string[] | null }[] }>('GET', 'admin-keys')).body
      .data
  await visit('/operate/people?tab=adminKeys', { account: await as('owner') }, async ({ page }) => {
    const boxes = page.locator(dialog).getByRole('group', { name: 'Permissions' }).getByRole('checkbox')
    const ticked = async () =>
      Promise.all((await boxes.all()).map(async (each) => [await each.isChecked(), await each.isDisabled()]))
    const box = (name: string) => page.locator(dialog).getByRole('checkbox', { name, exact: true })
    const create = async (name: string, role: string, without: string[]) => {
      await page.getByRole('button', { name: 'Create admin key' }).click()
      await page.locator(dialog).getByLabel('Name').fill(name)
      await page.locator(dialog).getByLabel('Role').selectOption(role)
      for (const each of without) await box(each).uncheck()
    }
    const finish = async () => {
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await page.getByLabel('I have stored it').check()
      await page.getByRole('button', { name: 'Done' }).click()
    }
    await create('shop', 'support', [])
    expect(await ticked()).toEqual([
      [true, true],
      [true, false],
      [true, false],
    ])
    await box('Keys').uncheck()
    // Another role begins with all of its own.
    await page.locator(dialog).getByLabel('Role').selectOption('admin')
    expect(await ticked()).toEqual([[true, true], ...Array.from({ length: 6 }, () => [true, false])])
    await box('Configuration').uncheck()
    await box('See costs').uncheck()
    // A key that manages people could give itself the others.
    expect([await box('People').isChecked(), await box('People').isDisabled()]).toEqual([false, true])
    await box('See costs').check()
    expect(await box('People').isDisabled()).toBe(true)
    await expectWellShown(page, 'admin-key-permissions', OPPOSITES)
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByText('only these permissions of the role Admin').waitFor()
    expect(await page.locator(dialog).last().getByRole('listitem').count()).toBe(5)
    await finish()
    await create('all', 'finance', [])
    await page.getByRole('button', { name: 'Review' }).click()
    await finish()
    await create('eyes', 'finance', ['See costs', 'Money'])
    await page.getByRole('button', { name: 'Review' }).click()
    await finish()
    const cellOf = (name: string) =>
      page.getByRole('row').filter({ hasText: name }).getByRole('cell').nth(2).innerText()
    expect([await cellOf('shop'), await cellOf('all'), await cellOf('eyes')]).toEqual([
      'See the gateway, See costs, Accounts, Keys, Money',
      'All of the role',
      'See the gateway',
    ])
    await expectWellShown(page, 'admin-keys-narrowed', OPPOSITES)
  })
  const found = new Map((await made()).map(({ name, role, permissions }) => [name, [role, permissions]]))
  expect([found.get('shop'), found.get('all'), found.get('eyes')]).toEqual([
    ['admin', ['see', 'see_costs', 'accounts', 'keys', 'money']],
    ['finance', null],
    ['finance', ['see']],
  ])
})

describe('the audit log', () => {
  test('tells who did what in sentences, with the reason and the difference, and by filters that are in the URL', async () => {
    await visit('/operate/audit-log?action=model', { account: await as('viewer') }, async ({ page }) => {
      const row = page.getByRole('row').filter({ hasText: 'set the price of gpt-x' })
      expect(await row.innerText()).toContain('Admin key nightly set the price of gpt-x: output 8.00 → 9.00')
      expect(await row.innerText()).toContain('Reason: a more expensive upstream')
      await row.getByRole('button').click()
      const drawer = page.locator(dialog)
      await drawer.getByText('price: output').waitFor()
      // It has an address of its own.
      await page.reload()
      await drawer.getByText('model/gpt-x').waitFor()
      await drawer.getByRole('button', { name: 'Show everything about this object' }).click()
      await page.getByText('added the model gpt-x').waitFor()
      expect(new URL(page.url()).searchParams.get('object')).toBe('model/gpt-x')

      await page.getByRole('button', { name: 'Remove the filter Object' }).click()
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByRole('menuitem', { name: 'Who' }).click()
      await page.getByLabel('Who').fill('nobody@example.com')
      await page.keyboard.press('Enter')
      await page.getByText('No entry matches these filters').waitFor()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'JSON Lines' }).click(),
      ])
      expect(file.suggestedFilename()).toBe('audit-log.jsonl')
    })
  })

  test.each([
    ['has_password', 'password', '密码'],
    ['cap_usd', 'cap', '消费上限'],
    ['price.cached_input', 'price: cached input', '售价: 缓存输入'],
    ['prices.gpt-4.1.input', 'prices: gpt-4.1: input', '自定售价: gpt-4.1: 输入'],
    ['upstream/eu.1.base_url', 'upstream eu.1.base_url', '上游 eu.1.base_url'],
    ['setting/server.show_upstreams', 'server.show_upstreams', 'server.show_upstreams'],
  ])('calls a field by its name: %s', (path, english, chinese) => {
    expect([fieldName(path, en.fields), fieldName(path, zh.fields)]).toEqual([english, chinese])
  })

  const ROW = { actor: 'person/7', actor_name: 'eve@example.com', target: 'key/2', target_name: 'laptop', before: null }
  test.each<[string, object, string]>([
    [
      'a price',
      {
        action: 'model change',
        target: 'model/gpt-x',
        target_name: null,
        before: { routes: [], price: { input: '2', output: '8' } },
        after: { routes: [], price: { input: '2', output: '9', cached_input: '1' } },
      },
      'eve@example.com set the price of gpt-x: output 8 > 9, cached input > 1',
    ],
    [
      'a cap that is removed',
      { action: 'key limit', before: { cap_usd: '4', rpm: null }, after: { cap_usd: null, rpm: 5 } },
      'eve@example.com changed the key laptop: cap 4 > none, rpm none > 5',
    ],
    [
      'more than three fields, and a secret',
      { action: 'settings change', target: 'settings', after: { a_usd: '1', b: '2', c: '3', d: '4', e: 'sha256:00' } },
      'eve@example.com changed settings: a > 1 USD, b > 2, c > 3 +1',
    ],
    [
      'what the phrase says already',
      { action: 'account disable', target_name: 'ada', before: { disabled: false }, after: { disabled: true } },
      'eve@example.com disabled the account ada',
    ],
    [
      'money, whose balance before is kept beside it',
      { action: 'account credit', target_name: 'ada', before: { balance_usd: '5' }, after: { amount_usd: '2' } },
      'eve@example.com changed the balance of ada: amount > 2 USD',
    ],
    [
      'a field that is true, in words',
      { action: 'password change', after: { has_password: true, by: 'sign-in link' } },
      'eve@example.com changed their password: password > set, by > sign-in link',
    ],
    ['a job', { action: 'key delete', actor: 'job/sweep', actor_name: null }, 'Job sweep deleted the key laptop'],
    ['nobody known', { action: 'sign-in failed', actor: 'person', actor_name: null }, 'Someone failed to sign in'],
    ['a new action', { action: 'moon land' }, 'eve@example.com did "moon land" on laptop'],
  ])('says in a sentence: %s', (_, row, expected) => {
    const { who, did, changes, more } = sentenceOf({ ...ROW, after: null, ...row } as never, en, 'en')
    const fields = changes.map(({ path, from, to }) => [path, from, from && to && '>', from ? to : `> ${to}`])
    const said = fields.map((each) => each.filter((part) => part !== undefined).join(' ')).join(', ')
    expect(`${who} ${did}${said === '' ? '' : `: ${said}`}${more > 0 ? ` +${more}` : ''}`).toBe(expected)
  })

  test('has a phrase for every change, in both languages', () => {
    const reads = /preview|impact|proposals|draft-models|bulk/
    const names = adminRoutes().flatMap(({ method, operation }) => (method === 'GET' ? [] : [operation.name]))
    const missing = names.filter((name) => !reads.test(name) && !(name in WORDS))
    expect(missing).toEqual([])
    const said = Object.values(WORDS as Words).map(({ did }) => did)
    expect(said.filter(({ en, zh }) => /[^ -~]/.test(en) || !/[\u4e00-\u9fff]/.test(zh))).toEqual([])
  })
})

test.each(LANGUAGES)('all is well shown in $locale', async ({ locale, dark }) => {
  const account = await as('owner')
  await visit('/operate/people', { account, locale }, async ({ page }) => {
    const views = OPPOSITES.filter((view) => view.dark === dark)
    // The tables of the tabs are alike: each is looked at in one language.
    const tabs = dark ? ['invitations', 'adminKeys', 'roles'] : ['team', 'signIns']
    for (const tab of tabs) {
      await page.goto(`${open.gateway.url}/console/operate/people?tab=${tab}`)
      await page.locator('[aria-busy=false]').waitFor()
      await expectWellShown(page, `people-${tab}`, views)
    }
    await page.goto(`${open.gateway.url}/console/operate/audit-log`)
    await page.locator('[aria-busy=false]').waitFor()
    if (dark) return await expectWellShown(page, 'audit-log', views)
    await page.locator('tbody tr').nth(2).locator('button').first().click()
    await page.locator(`${dialog} dl`).first().waitFor()
    await expectWellShown(page, 'audit-row', views)
  })
})
