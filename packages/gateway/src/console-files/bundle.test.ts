// The bundle of a small console of the test's own: made once, by whichever process is first.
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bundle, openBundle } from './bundle.ts'

const root = mkdtempSync(join(tmpdir(), 'trivium-bundle-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Writes a page whose two encodings are plain text, and a line in a file for each time it runs. */
const BUILD = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
const [folder] = process.argv.slice(2)
appendFileSync(\`\${import.meta.dir}/runs\`, JSON.stringify(process.env.SECRET ?? 'none') + '\\n')
mkdirSync(folder)
for (const encoding of ['br', 'gz']) writeFileSync(\`\${folder}/index.html.\${encoding}\`, 'page')
`

let count = 0
let source = ''
let cache = ''
beforeEach(() => {
  const folder = join(root, String(count++))
  source = join(folder, 'console')
  cache = join(folder, 'cache')
  mkdirSync(join(source, 'src'), { recursive: true })
  writeFileSync(join(source, 'package.json'), '{}')
  writeFileSync(join(source, 'src/main.tsx'), 'main')
  writeFileSync(join(source, 'build.ts'), BUILD)
})

const open = (caches = [cache]): Promise<Bundle> =>
  openBundle({ source, lockfile: join(source, 'lock'), caches, signal: new AbortController().signal })
const runs = () => Bun.file(join(source, 'runs')).text()
const textOf = (bundle: Bundle) => new TextDecoder().decode(bundle.get('index.html')?.gzip)

test('several processes at once have the same bundle, and leave one folder', async () => {
  const bundles = await Promise.all([open(), open(), open()])
  expect(bundles.map(textOf)).toEqual(['page', 'page', 'page'])
  expect(readdirSync(cache)).toHaveLength(1)
})

test('a second start takes it from the cache; another source, dependency or build makes another', async () => {
  process.env.SECRET = 'of the gateway'
  await open()
  await open()
  delete process.env.SECRET
  expect(await runs()).toBe('"none"\n')
  const changes = [join(source, 'src/main.tsx'), join(source, 'lock'), join(source, 'package.json')]
  for (const file of changes) {
    writeFileSync(file, 'changed')
    await open()
  }
  expect((await runs()).split('\n')).toHaveLength(5)
  expect(readdirSync(cache)).toHaveLength(4)
})

test('a folder that cannot be written is passed over', async () => {
  const file = join(source, 'a file')
  writeFileSync(file, '')
  expect(textOf(await open([join(file, 'cache'), cache]))).toBe('page')
  expect(open([join(file, 'cache')])).rejects.toThrow('none of these folders can be written')
})

test("an error has the bundler's message, and nothing is left in the cache", async () => {
  writeFileSync(join(source, 'build.ts'), 'console.error("main.tsx:1 is wrong"); process.exit(1)')
  expect(open()).rejects.toThrow('main.tsx:1 is wrong')
  await open().catch(() => {})
  expect(readdirSync(cache)).toEqual([])
  writeFileSync(join(source, 'build.ts'), 'console.log("nothing")')
  expect(open()).rejects.toThrow(/ENOENT|incomplete/)
})
