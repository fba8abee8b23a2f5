// What was typed is not lost: not by a slip of the hand, not by a reload, not by a session that ends.
import { expect, test } from 'bun:test'
import type { Page } from '../../test/support/browser.ts'
import { type Account, useConsole } from '../../test/support/console/use-console.ts'
import { PASSWORD } from '../../test/support/gateway/console.ts'

const { visit, newAccount } = useConsole()

const question = (page: Page) => page.getByRole('dialog', { name: 'Discard your changes?' })
const drawer = (page: Page) => page.getByRole('dialog', { name: 'Create a key' })

test.each([
  ['Escape', (page: Page) => page.keyboard.press('Escape')],
  ['a click outside', (page: Page) => page.mouse.click(20, 400)],
  ['Cancel', (page: Page) => drawer(page).getByRole('button', { name: 'Cancel' }).click()],
  ['Close', (page: Page) => drawer(page).getByRole('button', { name: 'Close' }).click()],
  ['Back', (page: Page) => page.goBack()],
])(
  'a form that was filled in asks before %s closes it',
  async (_, leave) => {
    await visit('/', { account: await newAccount() }, async ({ page }) => {
      await page.getByRole('link', { name: 'Keys', exact: true }).first().click()
      const open = () => page.getByRole('button', { name: 'Create key' }).first().click()
      await open()
      // What is still empty closes without a question.
      await drawer(page).getByLabel('Name').waitFor()
      await page.keyboard.press('Escape')
      await drawer(page).waitFor({ state: 'detached' })
      await open()
      await drawer(page).getByLabel('Name').fill('laptop')
      // From then on the page asks, which a test may be quicker than.
      await page.waitForFunction('window.history.state?.leaveGuard === true')
      for (let times = 0; times < 2; times++) {
        await leave(page)
        await question(page).getByRole('button', { name: 'Continue editing' }).click()
        await question(page).waitFor({ state: 'detached' })
        expect(await drawer(page).getByLabel('Name').inputValue()).toBe('laptop')
      }
      await leave(page)
      await question(page).getByRole('button', { name: 'Discard' }).click()
      await drawer(page).waitFor({ state: 'detached' })
    })
  },
  60_000,
)

/** As another browser of the account does. */
const endSessions = ({ client }: Account) => client.post('sign-out-everywhere', {})

test('a session that ends keeps the page: after another sign-in the same form is submitted', async () => {
  const account = await newAccount()
  await visit('/keys', { account }, async ({ page }) => {
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await drawer(page).getByLabel('Name').fill('laptop')
    await endSessions(account)
    await drawer(page).getByRole('button', { name: 'Create key' }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.getByText(account.email).waitFor()
    await again.getByLabel('Password', { exact: true }).fill('not it at all')
    await page.keyboard.press('Enter')
    await again.getByText('The password is wrong.').waitFor()
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await again.waitFor({ state: 'detached' })
    expect(await drawer(page).getByLabel('Name').inputValue()).toBe('laptop')
    await drawer(page).getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog', { name: 'Store this key now' }).waitFor()
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
  })
})

test('the sign-in page says that a session has ended, and a prompt is still there afterwards', async () => {
  const account = await newAccount()
  await visit('/playground', { account }, async ({ page }) => {
    await page.getByLabel('Message').fill('A long question')
    await endSessions(account)
    await page.reload()
    await page.getByText('Your session has ended.').waitFor()
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Playground', level: 1 }).waitFor()
    expect(await page.getByLabel('Message').inputValue()).toBe('A long question')
    // Signing out is no surprise.
    await page
      .getByRole('button', { name: /^Account/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Email').waitFor()
    expect(await page.getByText('Your session has ended.').count()).toBe(0)
  })
})
