// The settings in a real browser: password, two-factor authentication, sessions, language and theme.
import { expect, test } from 'bun:test'
import { codeAt, decodeBase32 } from '../../packages/gateway/src/console-api/session/totp.ts'
import type { Page } from '../../test/support/browser.ts'
import {
  accessibilityFaults,
  type ConsolePage,
  expectWellShown,
  openConsole,
  type View,
  WIDTHS,
} from '../../test/support/console/page.ts'
import { useConsole } from '../../test/support/console/use-console.ts'
import { eventually } from '../../test/support/eventually.ts'
import { PASSWORD } from '../../test/support/gateway/console.ts'

const STEP_MS = 30_000

const open = useConsole()
const { newAccount } = open
const opened: ConsolePage[] = []

/** Without a token the browser signs in by the form, which makes a session of its own. */
async function settingsOf(email: string, token?: string, view: View = {}): Promise<Page> {
  const one = await openConsole(open.browser, open.gateway.url, '/settings', view, token)
  opened.push(one)
  if (token === undefined) await fillSignIn(one.page, email, PASSWORD)
  await one.page.getByRole('heading', { name: 'Settings' }).waitFor()
  return one.page
}

/** The settings of a new account, signed in by the API. */
async function newSettings(view?: View): Promise<{ email: string; page: Page }> {
  const { email, client } = await newAccount()
  return { email, page: await settingsOf(email, client.token(), view) }
}

async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const signInPage = (page: Page) => page.getByRole('heading', { name: 'Sign in to Trivium' }).waitFor()

test('an owner sets the cap of a member, who sees it; the form of a key shows what the operator allows at most', async () => {
  const [owner, member] = [await newAccount(), await newAccount()]
  const { account } = (await owner.client.get<{ account: { id: string } }>('session')).body
  await open.gateway.command(
    ...['account', 'member', '--account', account.id, '--email', member.email, '--role', 'member'],
  )
  await member.client.post('session/account', { account: account.id })
  const page = await settingsOf(owner.email, owner.client.token())
  await page.getByRole('button', { name: `Actions for ${member.email}` }).click()
  await page.getByRole('menuitem', { name: 'Set cap' }).click()
  await page.getByLabel('Spending cap').fill('25')
  await page.getByRole('textbox', { name: 'Tags' }).fill('=x')
  await page.getByRole('button', { name: 'Save' }).last().click()
  await page.getByText('Enter at most 16 tags').waitFor()
  await page.getByRole('textbox', { name: 'Tags' }).fill('team=search, env=dev')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Continue editing' }).click()
  await page.getByRole('button', { name: 'Save' }).last().click()
  await page.getByText(`Cap and tags of ${member.email} saved.`).waitFor()
  await page.getByText('env=dev, team=search').waitFor()
  await expectWellShown(page, 'members')
  const seen = await settingsOf(member.email, member.client.token())
  await seen.getByText('25.00').first().waitFor()
  expect(await seen.getByRole('button', { name: /^Actions for|^Invite/ }).count()).toBe(0)
  await open.gateway.command(
    ...['key', 'create', '--account', account.id, '--name', 'given', '--cap', '20', '--rpm', '60'],
  )
  await page.goto(`${open.gateway.url}/console/keys`)
  await page.getByRole('button', { name: 'Actions for given' }).first().click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByText('At most 20.00 USD').waitFor()
  await page.getByText('At most 60, set by the operator.').waitFor()
})

test('a new password ends other sessions; a wrong current one is an error beside its field', async () => {
  const { email, page } = await newSettings()
  const other = await settingsOf(email)
  const current = page.getByLabel('Current password', { exact: true })
  await current.fill('wrong password')
  await page.getByLabel('New password', { exact: true }).fill('another password')
  await page.keyboard.press('Enter')
  await page.getByText('The current password is wrong.').waitFor()
  await current.fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByText('Password changed. All other browsers are signed out.').waitFor()
  await other.reload()
  await signInPage(other)
  await fillSignIn(other, email, 'another password')
  await other.getByRole('heading', { name: 'Settings' }).waitFor()
})

test('several accounts: the menu switches between them, the settings rename one, and a member sees no top-up', async () => {
  const [own, team] = [await newAccount(), await newAccount()]
  await open.gateway.command('account', 'member', '--account', team.email, '--email', own.email, '--role', 'member')
  await team.client.post('account', { name: 'Research team with quite a long name, which is cut' })
  const page = await settingsOf(own.email, own.client.token())
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('17')
  await page.keyboard.press('Enter')
  await page.getByText('name must not be a number.').waitFor()
  await name.fill('My own')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Account: My own' }).click()
  await page.getByRole('menuitem', { name: 'Research team' }).waitFor()
  await expectWellShown(page, 'account-switcher')
  await page.getByRole('menuitem', { name: 'Research team' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('button', { name: /^Account: Research team/ }).waitFor()
  await page.goto(`${open.gateway.url}/console/wallet`)
  await page.getByRole('heading', { name: 'Wallet' }).waitFor()
  // Statements and the history are for owners, as is the top-up.
  for (const name of ['Statements', 'History']) expect(await page.getByRole('heading', { name }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Redeem' }).count()).toBe(0)
  await page.goto(`${open.gateway.url}/console/settings`)
  await page.getByText('Member: own keys and usage').waitFor()
  expect(await name.count()).toBe(0)
  await open.gateway.command('account', 'disable', '--account', team.email)
  await page.reload()
  await page.getByText('This account is disabled').waitFor()
  await expectWellShown(page, 'disabled-account')
})

test('sessions: another browser is signed out; then all of them, after a question that Escape answers with no', async () => {
  const { email, page } = await newSettings()
  const other = await settingsOf(email)
  await page.reload()
  const table = page.getByRole('table', { name: 'Sessions' })
  await table.getByText('This browser').waitFor()
  expect(await table.getByRole('row').count()).toBe(3)
  await table.getByRole('button', { name: /^Sign out Chrome/ }).click()
  await page.getByText('Signed out.').waitFor()
  await other.reload()
  await signInPage(other)

  const everywhere = page.getByRole('button', { name: 'Sign out everywhere' })
  await everywhere.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Sign out everywhere?' })
  await dialog.waitFor()
  // The focus stays in the dialog.
  for (let index = 0; index < 6; index++) {
    await page.keyboard.press('Tab')
    expect(
      await page.evaluate(
        "document.activeElement.closest('dialog') !== null || document.activeElement === document.body",
      ),
    ).toBe(true)
  }
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await everywhere.evaluate((button) => button.matches(':focus'))).toBe(true)
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
  await signInPage(page)
})

test('two-factor authentication: set up with a QR code, sign in with a recovery code, turn off', async () => {
  const { email, page } = await newSettings()
  await page.getByRole('button', { name: 'Set up' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  const secret = decodeBase32((await dialog.locator('code').textContent()) ?? '') ?? new Uint8Array()
  const codeNow = () => codeAt(secret, Math.floor(Date.now() / STEP_MS))

  await dialog.getByLabel('Code from the app').fill('000000')
  await dialog.getByLabel('Your password', { exact: true }).fill('wrong password')
  await page.keyboard.press('Enter')
  await dialog.getByText('The password is wrong.').waitFor()
  await dialog.getByLabel('Your password', { exact: true }).fill(PASSWORD)
  await dialog.getByLabel('Code from the app').fill(codeNow())
  await page.keyboard.press('Enter')
  const codes = page.getByRole('dialog', { name: 'Recovery codes' })
  await codes.waitFor()
  // Shown once, so that neither Escape nor a click beside it loses them.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  const shown = ((await codes.locator('code').textContent()) ?? '').split('\n')
  expect(shown).toHaveLength(10)
  await codes.getByRole('button', { name: 'I have stored them' }).click()
  await page.getByText('Two-factor authentication is on.').waitFor()

  await page.context().clearCookies()
  await page.goto(`${open.gateway.url}/console/settings`)
  await fillSignIn(page, email, PASSWORD)
  await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByLabel('Code').fill('000000')
  await page.keyboard.press('Enter')
  await page.getByText('This code is wrong or has already been used.').waitFor()
  await page.getByLabel('Code').fill(shown[0] ?? '')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()

  await page.getByRole('button', { name: 'Turn off' }).click()
  const remove = page.getByRole('dialog', { name: 'Turn off two-factor authentication?' })
  await remove.getByLabel('Your password', { exact: true }).fill(PASSWORD)
  await remove.getByLabel('Code from the app, or a recovery code').fill(shown[1] ?? '')
  await page.keyboard.press('Enter')
  await page.getByText('Two-factor authentication is off.').waitFor()
})

test('language and theme change at once and stay; the account keeps the language', async () => {
  const { page } = await newSettings()
  await page.getByText('简体中文').click()
  await page.getByRole('heading', { name: '设置' }).waitFor()
  const session = "fetch('/console/api/session').then((response) => response.json())"
  await eventually(async () => ((await page.evaluate(session)) as { language: string | null }).language === 'zh')
  await page.getByText('深色').click()
  expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
  await page.reload()
  await page.getByRole('heading', { name: '设置' }).waitFor()
  expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
})

test('the settings are accessible and fit, in every width and theme', async () => {
  const { page } = await newSettings()
  await page.getByText('This browser').waitFor()
  await expectWellShown(page, 'settings')
})

test.each([...WIDTHS])('%d px: the navigation reaches every page', async (width) => {
  const { page } = await newSettings({ width })
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
  // On phones settings and the documentation are in the menu of the account, and what is opened less behind "More".
  const isPhone = width < 720
  expect(await links.count()).toBe(isPhone ? 4 : 10)
  const more: Record<string, string> = {
    '/connect': 'Connect',
    '/models': 'Models',
    '/budgets': 'Budgets',
    '/wallet': 'Wallet',
  }
  for (const path of [
    '',
    '/keys',
    '/connect',
    '/models',
    '/usage',
    '/budgets',
    '/wallet',
    '/playground',
    '/settings',
    '/help',
  ]) {
    const inMenu = { '/settings': 'Settings', '/help': 'Documentation' }[path]
    if (isPhone && inMenu !== undefined) {
      await page.getByRole('button', { name: /^Account: / }).click()
      await page.getByRole('menuitem', { name: inMenu }).click()
    } else if (isPhone && more[path]) {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: more[path] }).click()
    } else await page.locator(`nav a[href="/console${path || '/'}"]:visible`).click()
    await page.waitForURL(`**/console${path || '/'}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
})

test('no page had a script error or violated the content security policy', () => {
  expect(opened.length).toBeGreaterThan(0)
  expect(opened.flatMap(({ problems }) => problems)).toEqual([])
})
