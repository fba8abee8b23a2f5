// From sign-up to the first answer and its cost, in a real browser, as a person does it.
import { expect, test } from 'bun:test'
import type { Page } from '../support/browser.ts'
import { expectWellShown, inTheme, LANGUAGES } from '../support/console/page.ts'
import { useConsole } from '../support/console/use-console.ts'
import { PASSWORD } from '../support/gateway/console.ts'

const CONFIG = `
registration: { trial_budget_per_day: 1000000 }
console: { name: Example AI }
`

const open = useConsole({ config: CONFIG })
const { visit, newAccount } = open

async function signUp(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Make your first request' }).waitFor()
}

test('sign up, create a key, copy it, choose a client, send a test request, see its cost', async () => {
  await visit('/sign-up', {}, async ({ page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await signUp(page, 'ada@example.com')
    await page.getByText('10.00 USD').first().waitFor()
    await page.getByRole('button', { name: 'Create key' }).click()

    const secret = (await page.locator('code', { hasText: 'sk-' }).first().innerText()).replace(/^Secret:\s*/, '')
    expect(secret).toMatch(/^sk-[\w-]{20,}$/)
    await page.getByText('Never commit a key to version control').waitFor()
    await page.getByText('Use a separate key for each application').waitFor()
    await page.getByText('If a key leaks, delete it here').waitFor()
    // Steps 3 and 4 wait until it is stored.
    expect(await page.getByRole('button', { name: 'Send a test request' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Copy Secret' }).click()
    await page.getByRole('button', { name: 'Copied Secret' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
    await page.getByLabel('I have stored it').check()

    const snippet = page.getByRole('region', { name: 'Terminal' })
    await snippet.waitFor()
    expect(await snippet.innerText()).toContain(`curl ${open.gateway.url}/v1/chat/completions`)
    expect(await snippet.innerText()).toContain(secret)
    for (const [client, text] of [
      ['Python', `base_url="${open.gateway.url}/v1"`],
      ['JavaScript', `baseURL: '${open.gateway.url}/v1'`],
      ['Claude Code', `ANTHROPIC_BASE_URL=${open.gateway.url}\n`],
      ['Codex', `base_url = "${open.gateway.url}/v1"`],
      ['Gemini CLI', `GOOGLE_GEMINI_BASE_URL=${open.gateway.url}\n`],
      ['LangChain (Python)', `base_url="${open.gateway.url}/v1"`],
      ['LibreChat', `baseURL: "${open.gateway.url}/v1"`],
      ['Cursor', `${open.gateway.url}/v1`],
      ['Open WebUI', `${open.gateway.url}/v1`],
    ] as const) {
      await page.getByLabel('Client', { exact: true }).selectOption({ label: client })
      await page.getByText(text.trim()).first().waitFor()
    }
    await page.getByLabel('Client', { exact: true }).selectOption({ label: 'curl' })
    await page.getByText('Anthropic Messages', { exact: true }).click()
    await page.getByText(`curl ${open.gateway.url}/v1/messages`).waitFor()

    await page.getByRole('button', { name: 'Send a test request' }).click()
    await page.getByText('The gateway responded.').waitFor()
    const cost = page.locator('dt', { hasText: 'Cost' }).locator('xpath=following-sibling::dd')
    await cost.filter({ hasText: /^0\.0\d+/ }).waitFor()
    const answer = page.locator('dt', { hasText: 'Answer' }).locator('xpath=following-sibling::dd')
    expect((await answer.innerText()).length).toBeGreaterThan(3)
    const shown = (await cost.innerText()).replace(/\s+/g, ' ')

    await page.getByRole('button', { name: 'Go to the overview' }).click()
    await page.getByRole('heading', { name: 'Spend, last 14 days' }).waitFor()
    const row = page.getByRole('table', { name: 'Latest requests' }).getByRole('row').nth(1)
    // The unit is seen in the head.
    await row.getByText(/USD/).waitFor({ state: 'attached' })
    expect((await row.innerText()).replace(/\s+/g, ' ')).toContain(shown)
    expect(await page.getByText(secret).count()).toBe(0)
    await row.getByRole('button').first().click()
    await page.getByRole('dialog', { name: /Receipt/ }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/usage')
    // Back on the overview the path is not shown again.
    await page.goto(`${open.gateway.url}/console/`)
    await page.getByRole('heading', { name: 'Latest requests' }).waitFor()
    expect(await page.getByText('Make your first request').count()).toBe(0)
  })
})

test.each(
  LANGUAGES,
)('$locale, dark: $dark: the first-run path and the overview are accessible and fit the screen', async (view) => {
  await visit('/', { ...view, account: await newAccount() }, async ({ page }) => {
    const look = (name: string) => expectWellShown(page, `${name}-${view.locale}`, inTheme(view.dark))
    const main = page.locator('main')
    await main.locator('li[aria-current=step] form').waitFor()
    await look('first-run')
    await main.locator('button[type=submit]').click()
    await main.locator('input[type=checkbox]').waitFor()
    await look('first-run-secret')
    await main.locator('input[type=checkbox]').check()
    await main.locator('li:nth-child(4) button').click()
    await main.locator('dd', { hasText: /^0\.0\d+/ }).waitFor()
    await look('first-run-answer')
    await main.locator('li:nth-child(4) button').last().click()
    await main.locator('svg[role=img]').waitFor()
    await look('overview')
  })
})
