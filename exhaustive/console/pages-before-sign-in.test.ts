// Sign-up, sign-in and the pages behind links, in a real browser, as a person uses them.
import { expect, test } from 'bun:test'
import type { Locator } from '../../test/support/browser.ts'
import { type ConsolePage, expectWellShown } from '../../test/support/console/page.ts'
import { useConsole } from '../../test/support/console/use-console.ts'
import { PASSWORD } from '../../test/support/gateway/console.ts'

const CONFIG = `
registration: { trial_budget_per_day: 1000000 }
console: { name: Example AI }
`
const MOST_SCRIPT = 300 * 1024
const MOST_REQUESTS = 16

const open = useConsole({ config: CONFIG })
const { visit, newAccount } = open

const isFocused = (field: Locator): Promise<boolean> => field.evaluate((element) => element.matches(':focus'))

test('sign-up by keyboard alone: errors beside the fields, then the trial credit', async () => {
  await visit('/', {}, async ({ page }) => {
    await page.getByRole('heading', { name: 'Sign in to Example AI' }).waitFor()
    await page.getByRole('link', { name: 'Create one' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('You get 10.00 USD of trial credit').waitFor()
    await page.getByText('At least 8 characters').waitFor()
    const [email, password] = [page.getByLabel('Email'), page.getByLabel('Password', { exact: true })]

    await email.focus()
    await page.keyboard.type('grace')
    await page.keyboard.press('Tab')
    await page.keyboard.type('short')
    await page.keyboard.press('Enter')
    await page.getByText('Use at least 8 characters.').waitFor()
    expect(await email.getAttribute('aria-invalid')).toBe('true')
    expect(await isFocused(email)).toBe(true)

    await page.keyboard.type('@example.com')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+A')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    expect(await password.getAttribute('type')).toBe('text')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Account created. Your wallet has 10.00 USD of trial credit.').waitFor()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const cookies = await page.context().cookies()
    expect(cookies).toMatchObject([{ name: 'trivium_session', httpOnly: true, sameSite: 'Lax' }])
    expect(await page.evaluate('document.cookie')).toBe('')

    // The address is taken now.
    await page.context().clearCookies()
    await page.goto(`${open.gateway.url}/console/sign-up`)
    await page.getByLabel('Email').fill('grace@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('An account with this email address exists').waitFor()
  })
})

test('sign-in: a wrong password, then back to the page that was asked for, and out again', async () => {
  const { email } = await newAccount()
  await visit('/settings', {}, async ({ page }) => {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('wrong password')
    await page.keyboard.press('Enter')
    await page.getByText('Email address or password is wrong.').waitFor()
    await page.getByText('Forgot your password? Ask the operator.').waitFor()
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/settings')
    // Signed in, the sign-in page leads on; a foreign address is not followed.
    await page.goto(`${open.gateway.url}/console/sign-in?next=//evil.example/`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('button', { name: /^Account: / }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Example AI' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Sign in to Example AI' }).waitFor()
  })
})

test('a session that ended elsewhere leads to the sign-in page on request, and back', async () => {
  const account = await newAccount()
  await visit('/wallet', { account }, async ({ page }) => {
    await page.getByRole('heading', { name: 'Wallet' }).waitFor()
    // A part of this page that is still loading would be the first to find the session ended.
    await page.waitForLoadState('networkidle')
    await account.client.post('sign-out-everywhere')
    await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click()
    await page.getByRole('button', { name: 'Use another account' }).click()
    await page.getByText('Your session has ended.').waitFor()
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
  })
})

test('the set-up link signs in, leads to the first hour and from there to the password; used twice it has expired', async () => {
  const [, link = ''] = /^ {2}\S+\/console(\/setup#\S+)$/m.exec(open.gateway.output().stdout) ?? []
  await visit(link, {}, async ({ page }) => {
    await page.getByRole('heading', { name: 'Set up your gateway' }).waitFor()
    expect(page.url()).not.toContain(link.split('#')[1] ?? '?')
    await page.getByRole('link', { name: 'Choose a password' }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    const password = page.getByLabel('New password', { exact: true })
    await password.waitFor()
    expect(await isFocused(password)).toBe(true)
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText('Password changed.').waitFor()
    await page.getByLabel('Current password', { exact: true }).waitFor()
  })
  await visit(link, {}, async ({ page }) => {
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor()
    await page.getByRole('link', { name: 'Go to sign-in' }).click()
    await page.getByRole('heading', { name: 'Sign in to Example AI' }).waitFor()
  })
})

test("an operator's link for an account holder who is locked out: a new password signs in, once", async () => {
  const { email } = await newAccount()
  const { gateway } = open
  const { url } = await gateway.command<{ url: string }>('account', 'sign-in-link', '--account', email)
  const link = url.slice(`${gateway.url}/console`.length)
  const choose = async ({ page }: ConsolePage, password: string) => {
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    expect(page.url()).not.toContain('#')
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
  }
  await visit(link, {}, async (opened) => {
    await visit(link, {}, async (other) => {
      for (const { page } of [opened, other]) await page.getByText('At least 8 characters', { exact: true }).waitFor()
      await choose(opened, 'short')
      await opened.page.getByText('Use at least 8 characters.').waitFor()
      await choose(opened, 'another password')
      await opened.page.getByText('Password changed. You are signed in').waitFor()
      await opened.page.getByRole('heading', { name: 'Overview' }).waitFor()
      // A page that was opened before.
      await choose(other, 'a third password')
      await other.page.getByRole('heading', { name: 'This link has expired' }).waitFor()
    })
  })
  await visit(link, {}, ({ page }) => page.getByText('ask the operator of this gateway for a new link').waitFor())
})

test('the first load has little script', async () => {
  await visit('/', { account: await newAccount() }, async ({ page }) => {
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const sizes: Promise<number>[] = []
    page.on('response', (response) => {
      if (response.request().resourceType() !== 'script') return
      expect(response.headers()['content-encoding']).toMatch(/^(br|gzip)$/)
      sizes.push(
        response.body().then((body) => {
          expect(body.toString()).not.toContain('体验中心')
          return Number(response.headers()['content-length'])
        }),
      )
    })
    await page.goto(`${open.gateway.url}/console`, { waitUntil: 'networkidle' })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    expect(total).toBeGreaterThan(50_000)
    expect(total).toBeLessThan(MOST_SCRIPT)
    // The browser is told of those of the page together with the first one.
    const html = await (await fetch(`${open.gateway.url}/console`)).text()
    const preloads = html.split('rel="modulepreload"').length - 1
    expect([preloads > 0, preloads < sizes.length]).toEqual([true, true])
  })
})

test('the first load of a page is a few requests, each of which costs a round trip of a slow line', async () => {
  const account = await newAccount()
  for (const path of ['/', '/keys', '/connect', '/models', '/usage', '/wallet', '/playground', '/settings'])
    await visit('/sign-up', { account }, async ({ page }) => {
      await page.waitForLoadState('networkidle')
      const seen: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith('data:')) seen.push(new URL(request.url()).pathname)
      })
      await page.goto(`${open.gateway.url}/console${path}`, { waitUntil: 'networkidle' })
      await page.locator('main h1').waitFor()
      expect([path, seen.length > 3 ? seen.slice(MOST_REQUESTS) : seen]).toEqual([path, []])
    })
})

test('Chinese for browsers that prefer it; the choice of the language stays', async () => {
  await visit('/sign-in', { locale: 'zh-CN' }, async ({ page }) => {
    await page.getByRole('heading', { name: '登录 Example AI' }).waitFor()
    expect(await page.getAttribute('html', 'lang')).toBe('zh-CN')
    await page.getByLabel('语言').selectOption('en')
    await page.getByRole('heading', { name: 'Sign in to Example AI' }).waitFor()
    await page.getByLabel('Theme').selectOption('dark')
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Example AI' }).waitFor()
    expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
  })
})

const PAGES: readonly [path: string, heading: string][] = [
  ['/sign-up', 'Create your account'],
  ['/sign-in', 'Sign in to Example AI'],
  ['/forgot-password', 'Reset your password'],
  ['/reset#abc', 'Choose a new password'],
  ['/verify#abc%', 'This link has expired'],
]

test.each(PAGES)('%s is accessible and fits, in every width and theme', async (path, heading) => {
  await visit(path, {}, async ({ page }) => {
    await page.getByRole('heading', { name: heading }).waitFor()
    await page.waitForLoadState('networkidle')
    await expectWellShown(page, path.slice(1).replace(/#.*/, ''))
  })
})
