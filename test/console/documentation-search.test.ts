// The search of the documentation: what it finds, in which order, and how it is used in both places of the console.
import { describe, expect, test } from 'bun:test'
import { find, MOST_CHARACTERS } from '@trivium/console/src/pages/help/search.ts'
import { sectionsOf } from '@trivium/console/src/pages/help/sections.ts'
import { expectWellShown, inTheme, OPPOSITES } from '../support/console/page.ts'
import { pagesIn, readPage } from '../support/documentation/blocks.ts'
import { useOperators } from '../support/operators.ts'

const { visit, as } = useOperators()

const sections = pagesIn('docs').flatMap((path) =>
  sectionsOf(path.slice('docs/'.length, -'.md'.length), readPage(path)),
)
const found = (query: string, language = 'en') =>
  find(sections, query, language).map(({ page, anchor }) => (anchor === '' ? page : `${page}#${anchor}`))

test('a page is divided at its headings, into plain text', () => {
  const page =
    '<!-- x -->\n\n# Keys\n\nLimit a `key` ([how](a.md)).\n\n## Caps\n\n| A | B |\n|---|---|\n| **c** | d |\n\n```sh\n# no heading\n```\n'
  expect(sectionsOf('operate/keys', page)).toEqual([
    { page: 'operate/keys', title: 'Keys', heading: '', anchor: '', text: 'Limit a key (how).' },
    { page: 'operate/keys', title: 'Keys', heading: 'Caps', anchor: 'caps', text: 'A B c d # no heading' },
  ])
})

describe('among the first three', () => {
  test.each([
    ['rate limit', 'operate/keys#rate-limit-errors'],
    ['nginx', 'operate/reverse-proxy#nginx'],
    ['how do I restore a backup?', 'operate/backup#restore'],
    ['Claude Code', 'use/coding-agents#claude-code'],
    ['rotating secrets', 'operate/upgrade#rotate-other-secrets'],
    ['mail test', 'operate/people#email'],
    ['key_quota_exceeded', 'use/errors#fix-the-key-or-ask-your-operator'],
    ['备份', 'operate/backup'],
    ['怎么设置密钥的限速', 'use/console.zh-CN#密钥'],
    ['限流', 'operate/keys#rate-limit-errors'],
    ['接入厂商', 'start/first-vendor.zh-CN'],
  ])('%s finds %s', (query, place) => {
    expect(found(query, /\p{Script=Han}/u.test(query) ? 'zh' : 'en').slice(0, 3)).toContain(place)
  })
})

test('a heading counts more than the text, a title more than a heading, and pages by task more than reference', () => {
  const section = (page: string, heading: string, text: string) => ({
    page,
    title: page,
    heading,
    anchor: heading,
    text,
  })
  const some = [
    section('a', '', 'about zebras'),
    section('b', 'zebras', ''),
    section('reference/zebras', '', ''),
    section('zebras', '', ''),
    section('c', '', 'nothing'),
  ]
  const order = find(some, 'zebra', 'en').map(({ page }) => page)
  expect(order).toEqual(['zebras', 'reference/zebras', 'b', 'a'])
})

test('all words are looked for; if no part has all, those with most', () => {
  const parts = ['alpha beta gamma', 'alpha beta', 'alpha'].map((text, index) => ({
    page: `p${index}`,
    title: '',
    heading: '',
    anchor: '',
    text,
  }))
  expect(find(parts, 'alpha beta', 'en').map(({ page }) => page)).toEqual(['p0', 'p1'])
  expect(find(parts, 'alpha beta gamma delta', 'en').map(({ page }) => page)).toEqual(['p0'])
  expect(find(parts, 'alpha delta epsilon', 'en')).toEqual([])
})

test('a page has at most three results and a query twenty', () => {
  const all = found('key')
  expect(all.length).toBe(20)
  const counts = Map.groupBy(all, (place) => place.replace(/#.*/, ''))
  expect(Math.max(...[...counts.values()].map((each) => each.length))).toBe(3)
})

test('the text around the words is shown, and they are marked', () => {
  const [result] = find(sections, 'overdrawn caps', 'en')
  const marked = result?.parts.filter(({ isFound }) => isFound).map(({ text }) => text.toLowerCase()) ?? []
  expect(marked.length).toBeGreaterThan(0)
  expect(marked.filter((text) => !/^(?:overdrawn|caps?)/.test(text))).toEqual([])
})

test('queries of any characters and of any length are answered', () => {
  for (const query of ['(', '[a-z', '\\', '.*', '  ', '?', '$&', 'the of', '\u0000', '的'])
    expect(Array.isArray(find(sections, query, 'en'))).toBe(true)
  expect(find(sections, '.*', 'en')).toEqual([])
  const begun = performance.now()
  find(sections, 'key rate limit '.repeat(100_000), 'en')
  find(sections, '密钥限速'.repeat(100_000), 'zh')
  expect(performance.now() - begun).toBeLessThan(5_000)
  expect(found(`nginx${' '.repeat(MOST_CHARACTERS)}nosuchword`)).toEqual(found('nginx'))
})

test('account holders search by keyboard alone, and come back to their results', async () => {
  const account = await as('viewer')
  await visit('/help/use/usage', { account }, async ({ page }) => {
    await page.getByRole('heading', { level: 1, name: 'Balance, usage and receipts' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('rate limit errors')
    const results = page.getByRole('main').getByRole('listitem')
    const first = results.first().getByRole('link')
    await page.getByRole('link', { name: 'API keys and limits › Rate-limit errors' }).waitFor()
    expect(await page.getByRole('status').filter({ hasText: 'results' }).count()).toBe(1)
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
    expect(await first.textContent()).toBe('API keys and limits › Rate-limit errors')
    await expectWellShown(page, 'documentation-search', OPPOSITES)
    const isFocused = (index: number) =>
      results
        .nth(index)
        .getByRole('link')
        .evaluate((link) => link.matches(':focus'))
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await isFocused(1)).toBe(true)
    await page.keyboard.press('ArrowUp')
    expect(await isFocused(0)).toBe(true)
    await page.keyboard.press('ArrowUp')
    expect(await page.getByRole('searchbox').evaluate((field) => field.matches(':focus'))).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'API keys and limits' }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/console/help/operate/keys#rate-limit-errors')
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    await page.goBack()
    await first.waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('rate limit errors')
  })
})

test('operators search their own place, in Chinese too, and are told what to try if nothing is found', async () => {
  await visit('/operate/help', { account: await as('viewer') }, async ({ page }) => {
    const field = page.getByRole('searchbox', { name: 'Search all pages' })
    await field.fill('nosuchword')
    await page.getByText('Nothing in the documentation matches “nosuchword”.').waitFor()
    await page.getByText('Try fewer or other words', { exact: false }).waitFor()
    await expectWellShown(page, 'documentation-search-none', OPPOSITES)
    await field.fill('x'.repeat(300))
    expect((await field.inputValue()).length).toBeLessThanOrEqual(200)
    await field.fill('haproxy')
    await page.getByRole('link', { name: 'Put it behind a reverse proxy › HAProxy' }).click()
    await page.getByRole('heading', { level: 2, name: 'HAProxy' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/operate/help/operate/reverse-proxy')
  })
  await visit('/operate/help', { account: await as('viewer'), locale: 'zh-CN' }, async ({ page }) => {
    await page.getByRole('searchbox', { name: '搜索全部页面' }).fill('接入厂商')
    await page.getByRole('link', { name: /接入真实模型/ }).waitFor()
    await expectWellShown(page, 'documentation-search-zh', inTheme(true))
  })
})
