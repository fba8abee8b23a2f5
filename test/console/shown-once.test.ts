// What is shown only once stays on screen until the person has stored it, in a real browser, whatever leads away from the page.
import { expect, test } from 'bun:test'
import { codeAt, decodeBase32 } from '../../packages/gateway/src/console-api/session/totp.ts'
import type { Page } from '../support/browser.ts'
import { expectWellShown } from '../support/console/page.ts'
import { useConsole } from '../support/console/use-console.ts'
import { PASSWORD } from '../support/gateway/console.ts'

const { visit, newAccount } = useConsole()

const pathOf = (page: Page): string => new URL(page.url()).pathname
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const follow = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
const question = (page: Page, title: string) => page.getByRole('dialog', { name: title })
async function stay(page: Page, title: string): Promise<void> {
  await question(page, title).getByRole('button', { name: 'Stay on this page' }).click()
  await question(page, title).waitFor({ state: 'detached' })
}
/** What the browser's own question says no to. */
async function closeTab(page: Page): Promise<string> {
  const asked = new Promise<string>((resolve) =>
    page.once('dialog', async (dialog) => {
      await dialog.dismiss()
      resolve(dialog.type())
    }),
  )
  await page.close({ runBeforeUnload: true })
  return await asked
}

test('the first key: links, Back, signing out and closing the tab ask first', async () => {
  const account = await newAccount()
  await visit('/usage', { account }, async ({ page }) => {
    await heading(page, 'Usage')
    // The clock of the page is the test's from here on.
    await page.clock.install()
    await page.reload()
    await follow(page, 'Overview')
    await page.getByLabel('Name').fill('laptop')
    await page.getByRole('button', { name: 'Create key' }).click()
    const secret = page.locator('code', { hasText: 'sk-' }).first()
    await secret.waitFor()
    const title = 'Leave without storing the secret of laptop?'

    await follow(page, 'Wallet')
    await question(page, title).getByText('The secret is lost: it cannot be shown again.').waitFor()
    await expectWellShown(page, 'leave-question')
    await page.keyboard.press('Escape')
    await question(page, title).waitFor({ state: 'detached' })
    await page.goBack()
    await question(page, title).waitFor()
    // Once more, while the question is open.
    await page.goBack()
    await stay(page, title)
    await page.getByRole('button', { name: /^Account: / }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await stay(page, title)
    // A link to the page itself loses nothing.
    await follow(page, 'Overview')
    expect(await question(page, title).count()).toBe(0)
    expect([pathOf(page), await secret.count()]).toEqual(['/console/', 1])
    expect(await closeTab(page)).toBe('beforeunload')

    // The session ends elsewhere: the secret stays until it is stored.
    await account.client.post('sign-out-everywhere')
    const rejected = page.waitForResponse((response) => response.status() === 401)
    await page.clock.fastForward(60_000)
    await rejected
    await page.getByLabel('I have stored it').waitFor()
    expect(await secret.count()).toBe(1)
    await page.getByLabel('I have stored it').click()
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  })
})

test('a key in a dialog: Back asks, and leads to the page before; stored, it asks nothing', async () => {
  const account = await newAccount()
  await account.client.post('keys', { name: 'first' })
  await visit('/usage', { account }, async ({ page }) => {
    await follow(page, 'Keys')
    const dialog = page.getByRole('dialog', { name: 'Store this key now' })
    await page.getByRole('button', { name: 'Actions for first' }).click()
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    await dialog.waitFor()
    // Neither Escape nor what phones do on a Back gesture closes it.
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape')
    await page.evaluate("document.querySelector('dialog[open]').close()")
    await dialog.getByLabel('I have stored it').waitFor()
    const title = 'Leave without storing the secret of first?'
    await page.goBack()
    await stay(page, title)
    await page.goBack()
    await question(page, title).getByRole('button', { name: 'Leave', exact: true }).click()
    await heading(page, 'Usage')
    expect(await page.getByRole('dialog').count()).toBe(0)

    await follow(page, 'Keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('second')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await dialog.getByLabel('I have stored it').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })
    await follow(page, 'Wallet')
    await heading(page, 'Wallet')
    // The history has each page once.
    await page.goBack()
    await heading(page, 'Keys')
    await page.goBack()
    await heading(page, 'Usage')
  })
})

test('recovery codes: Back asks', async () => {
  const account = await newAccount()
  await visit('/usage', { account }, async ({ page }) => {
    await follow(page, 'Settings')
    await page.getByRole('button', { name: 'Set up' }).click()
    const setUp = page.getByRole('dialog')
    const secret = decodeBase32(await setUp.locator('code').first().innerText()) ?? new Uint8Array()
    await setUp.getByLabel('Code from the app').fill(codeAt(secret, Math.floor(Date.now() / 30_000)))
    await setUp.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    const codes = page.getByRole('dialog', { name: 'Recovery codes' })
    await codes.waitFor()
    await page.goBack()
    await stay(page, 'Leave without storing the recovery codes?')
    await codes.getByRole('button', { name: 'I have stored them' }).click()
    await page.getByText('Two-factor authentication is on.').waitFor()
    await page.goBack()
    await heading(page, 'Usage')
  })
})
