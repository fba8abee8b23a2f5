// From sign-up to the receipt of the first request by keyboard alone, with the focus in sight at every step.
import { expect, test } from 'bun:test'
import { expectFocus, expectVisibleFocus, tabTo } from '../../test/support/console/keyboard.ts'
import { useConsole } from '../../test/support/console/use-console.ts'
import { PASSWORD } from '../../test/support/gateway/console.ts'

const { visit } = useConsole({ config: 'registration: { trial_budget_per_day: 1000000 }' })

test('sign up, create a key, send a request, open its receipt, search keys', async () => {
  await visit('/sign-up', {}, async ({ page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const { keyboard } = page
    await page.getByText('At least 8 characters').waitFor()
    await tabTo(page, page.getByLabel('Email'))
    await keyboard.type('grace@example.com')
    await tabTo(page, page.getByLabel('Password', { exact: true }))
    // What is wrong gets the focus.
    await keyboard.type('short')
    await keyboard.press('Enter')
    await page.getByText('Use at least 8 characters.').waitFor()
    await expectFocus(page, page.getByLabel('Password', { exact: true }))
    await keyboard.press('Control+A')
    await keyboard.type(PASSWORD)
    await keyboard.press('Enter')

    await tabTo(page, page.getByLabel('Name', { exact: true }))
    await keyboard.press('Control+A')
    await keyboard.type('terminal')
    await keyboard.press('Enter')
    await page.getByText('Created terminal.').waitFor()
    await tabTo(page, page.getByRole('button', { name: 'Copy Secret' }))
    await keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copied Secret' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^sk-/)
    await tabTo(page, page.getByLabel('I have stored it'))
    await keyboard.press('Space')
    await tabTo(page, page.getByLabel('Client', { exact: true }))
    await keyboard.press('p')
    await page.getByText('pip install openai').waitFor()
    await expectVisibleFocus(page)
    await tabTo(page, page.getByRole('button', { name: 'Send a test request' }))
    await keyboard.press('Enter')
    await page.getByText('The gateway responded.').waitFor()
    await page.locator('dd', { hasText: /^0\.0\d+/ }).waitFor()

    await tabTo(page, page.getByRole('link', { name: 'Usage', exact: true }), 'Shift+Tab')
    await keyboard.press('Enter')
    const row = page
      .getByRole('table', { name: 'Requests', exact: true })
      .locator('tbody tr')
      .first()
      .getByRole('button')
    await tabTo(page, row)
    await keyboard.press('Enter')
    const receipt = page.getByRole('dialog', { name: 'Receipt' })
    await receipt.getByText('Output tokens').waitFor()
    await expectVisibleFocus(page)
    // The dialog keeps the focus.
    await tabTo(page, receipt.getByRole('button', { name: 'Copy Request ID' }))
    await tabTo(page, receipt.getByRole('button', { name: 'Close' }))
    await keyboard.press('Escape')
    await receipt.waitFor({ state: 'detached' })
    await expectFocus(page, row)

    await tabTo(page, page.getByRole('link', { name: 'Keys', exact: true }), 'Shift+Tab')
    await keyboard.press('Enter')
    const key = page.getByRole('button', { name: 'Actions for terminal' })
    await key.waitFor()
    await keyboard.press('/')
    await expectFocus(page, page.getByRole('searchbox'))
    await keyboard.type('none of that name')
    await key.waitFor({ state: 'detached' })
    await keyboard.press('Control+A')
    await keyboard.press('Delete')
    await tabTo(page, key)
    await keyboard.press('Enter')
    await page.getByRole('menuitem').first().waitFor()
    await keyboard.press('Escape')
    await expectFocus(page, key)
  })
})
