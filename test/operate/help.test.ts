// The documentation within the console: every page leads to its own part, and links between pages work.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { anchorOf, helpPath } from '@trivium/console/src/pages/help/addresses.ts'
import { documentOf } from '@trivium/console/src/pages/help/document.ts'
import { useOperators } from '../support/operators.ts'

const ROOT = join(import.meta.dir, '../..')
const { visit, as } = useOperators()

/** `browser#requests` of every page of the console, account holders' and operators'. */
const parts = (): string[] => {
  const source = join(ROOT, 'packages/console/src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.tsx'))
  const found = files.flatMap((path) => [...readFileSync(join(source, path), 'utf8').matchAll(/help="([^"]+)"/g)])
  return [...new Set(found.map(([, part = '']) => part))]
}

test('every help link of the console leads to a heading that exists', () => {
  const headings = (page: string) =>
    [...readFileSync(join(ROOT, `docs/${page}.md`), 'utf8').matchAll(/^#{1,6} (.+)$/gm)].map(([, text = '']) =>
      anchorOf(text),
    )
  const missing = parts().filter((part) => {
    const [page = '', anchor = ''] = part.split('#')
    return !headings(page).includes(anchor)
  })
  expect(missing).toEqual([])
})

test.each([
  ['keys.md#caps', 'billing', '/help/keys#caps'],
  ['keys.md', 'operate/billing', '/help/operate/keys'],
  ['../use/errors.md', 'operate/billing', '/help/use/errors'],
  ['#caps', 'keys', '/help/keys#caps'],
  ['../README.md', 'keys', undefined],
  ['https://example.com/a.md', 'keys', undefined],
  ['javascript:alert(1)', 'keys', undefined],
  ['images/a.png', 'keys', undefined],
])('%s on the page %s leads to %p', (href, page, path) => {
  expect(helpPath(href, page)).toBe(path)
})

test.each([
  ['# Keys\n\nText.\n', 'Keys', '\nText.\n'],
  ['<!-- generated -->\n\n# Keys\n\n<!-- not run: your own host -->\n```sh\nls\n```\n', 'Keys', '\n```sh\nls\n```\n'],
  ['Text only', undefined, 'Text only'],
])('%j has a title and a text, without comments', (markdown, title, text) => {
  expect(documentOf(markdown)).toEqual({ title, text })
})

test('the navigation leads to the index of the documentation, and in Chinese to the quick start in Chinese', async () => {
  const account = await as('viewer')
  await visit('/', { account }, async ({ page }) => {
    await page.getByRole('link', { name: 'Documentation' }).click()
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
    const links = await page
      .getByRole('main')
      .getByRole('link')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''))
    expect(links.length).toBeGreaterThan(20)
    expect(links.filter((href) => !href.startsWith('/console/help/'))).toEqual([])
    await page.getByRole('main').getByRole('link', { name: 'Alerts', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  })
  await visit('/operate/requests', { account, locale: 'zh-CN' }, async ({ page }) => {
    await page.getByRole('link', { name: '文档', exact: true }).click()
    await page.getByRole('link', { name: /阅读中文版《快速开始》/ }).click()
    await page.locator('main [lang=zh-CN]').waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/operate/help/start/quick-start.zh-CN')
    await page.goto(page.url().replace('start/quick-start.zh-CN', 'use/console'))
    await page.getByRole('link', { name: '阅读本页的中文版' }).click()
    await page.getByRole('heading', { level: 1, name: '控制台' }).waitFor()
  })
})

test('the help icon of a page shows its part, and links lead to other pages', async () => {
  await visit('/operate/requests', { account: await as('viewer') }, async ({ page }) => {
    await page.getByRole('link', { name: 'Help: Requests' }).click()
    await page.getByRole('heading', { level: 1, name: 'Run it from the browser' }).waitFor()
    await page.getByRole('heading', { level: 2, name: 'Requests' }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe(
      '/console/operate/help/operate/browser#requests',
    )
    await page.getByText('Your role: viewer').waitFor()
    expect(await page.getByRole('main').locator('br').count()).toBe(0)
  })
})
