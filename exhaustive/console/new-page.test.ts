// Adds a page for account holders and one for operators to a copy of the sources, in the files that docs/contribute/console.md lists and in no
// others, checks their types, and opens both in a browser.
import { afterAll, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { useOperators } from '../../test/support/operators.ts'
import { checkTypes, copyWith, type Edits, expectListed, makeApiTypes } from '../support/how-to.ts'

const after = (line: string | RegExp, added: string) => (source: string) =>
  source.replace(line, (found) => `${found}${added}`)

const HOLDERS: Edits = {
  'packages/gateway/src/console-api/pages/wallet.ts': (source) => `${source}
export const listNotes = route(
  'GET wallet/notes',
  { policy: 'member', summary: 'Lists notes', output: fields({ items: listOf(string()) }) },
  ({ account }) => ({ items: ['of account ' + account.id] }),
)
`,
  'packages/console/src/pages/notes/page.tsx': () => `import { useRead } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { PageHeader, Section } from '../../ui/page.tsx'

export default function NotesPage() {
  const t = useTexts().notes
  const { data } = useRead('wallet/notes')
  return (
    <>
      <PageHeader title={t.title} />
      <Section title={t.all}>{data?.items.join()}</Section>
    </>
  )
}
`,
  'packages/console/src/i18n/texts/notes.ts': () => `import { en, texts } from '../say.ts'

export const notes = texts({ title: en('Notes').zh('备注'), all: en('All notes').zh('全部备注') })
`,
  'packages/console/src/i18n/texts/index.ts': after(/.*wallet\.ts'\n/, "export * from './notes.ts'\n"),
  'packages/console/src/app/navigation.ts': after(
    /.*pages\/wallet\/page\.tsx'\)\),\n/,
    "  page('notes', 'edit', () => import('../pages/notes/page.tsx')),\n",
  ),
  'exhaustive/console/notes.test.ts': () => '// As this file.\n',
  'docs/use/console.md': (source) => `${source}\n## Notes\n`,
}

const OPERATORS: Edits = {
  'packages/console/src/operate/pages/rooms/page.tsx': () => `import { PageHeader } from '../../../ui/page.tsx'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function RoomsPage() {
  const t = useOperateTexts().rooms
  const { data } = useAdmin('roles')
  return (
    <>
      <PageHeader title={t.title} />
      {data && t.count(data.data.length)}
    </>
  )
}
`,
  'packages/console/src/operate/pages/rooms/texts.ts': () => `import { en, texts } from '../../../i18n/say.ts'

export const rooms = texts({
  title: en('Rooms').zh('房间'),
  count: en((count: number) => \`\${count} roles\`).zh((count) => \`\${count} 个角色\`),
})
`,
  'packages/console/src/operate/i18n/index.ts': after(
    /.*usage\/texts\.ts'\n/,
    "export * from '../pages/rooms/texts.ts'\n",
  ),
  'packages/console/src/operate/navigation.ts': after(
    /.*pages\/system\/page\.tsx'\)\),\n/,
    "      page('rooms', () => import('./pages/rooms/page.tsx')),\n",
  ),
  'packages/console/src/operate/ui/icons.tsx': after('const PATHS = {', "\n  rooms: 'M3 3h10v10H3z',"),
  'exhaustive/operate/rooms.test.ts': () => '// As this file.\n',
  'docs/operate/browser.md': (source) => `${source}\n## Rooms\n`,
}

const copy = copyWith({ ...HOLDERS, ...OPERATORS })
afterAll(() => rmSync(copy, { recursive: true, force: true }))
const { visit, newAccount, as } = useOperators({ main: join(copy, 'packages/gateway/src/main.ts') })

test('the page lists the files: seven for account holders, and for operators', () => {
  expectListed('Add a page for account holders', HOLDERS, 7, 'console.md')
  expectListed("Add an operators' page", OPERATORS, 7, 'console.md')
})

test('gateway and console have their types', async () => {
  const compilerOptions = { lib: ['ESNext'], types: ['bun'] }
  const include = ['packages/gateway/src/console-api/routes.ts', 'packages/gateway/src/**/*.d.ts']
  const program = { extends: './tsconfig.base.json', compilerOptions, include }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(program))
  await checkTypes(copy, '.')
  await makeApiTypes(copy)
  await checkTypes(copy, 'packages/console')
})

test('both are in the navigation, show what the gateway returns, and have their texts in both languages', async () => {
  await visit('/', { account: await newAccount() }, async ({ page }) => {
    await page.getByRole('link', { name: 'Notes' }).first().click()
    await page.getByRole('heading', { name: 'All notes' }).waitFor()
    await page.getByText(/^of account \d+$/).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/notes')
  })
  await visit('/operate/rooms', { account: await as('viewer'), locale: 'zh-CN' }, async ({ page }) => {
    await page.getByRole('heading', { name: '房间' }).waitFor()
    await page.getByText('5 个角色').waitFor()
    const preloads = await page.evaluate("document.querySelectorAll('link[rel=modulepreload]').length")
    expect(preloads).toBeGreaterThan(1)
  })
})
