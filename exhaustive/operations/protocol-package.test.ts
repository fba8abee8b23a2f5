// The protocol package as npm delivers it: checked, installed into an empty folder, and run by plain Node and a browser.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, startBrowser } from '../../test/support/browser.ts'
import { blocksOf, ROOT } from '../../test/support/documentation/blocks.ts'
import { pack } from '../../tools/build/npm-packages.ts'
import { PROTOCOL_NAME, writeProtocolPackage } from '../../tools/build/protocol-package.ts'

const folder = mkdtempSync(join(tmpdir(), 'trivium-protocol-'))
const home = join(folder, 'home')
const installed = join(home, 'node_modules', PROTOCOL_NAME)
let file = ''
let browser: Browser | undefined

async function run(command: readonly string[], cwd = home): Promise<string> {
  const child = Bun.spawn([...command], { cwd, stdout: 'pipe', stderr: 'pipe' })
  const [out, messages, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command.join(' ')}\n${out}${messages}`)
  return out
}

beforeAll(async () => {
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
  file = join(folder, await pack(await writeProtocolPackage('1.2.3', folder), folder))
  await run(['npm', 'install', '--offline', '--no-audit', '--no-fund', file])
})
afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true })
})

const program = (name: string) => ['node', join(ROOT, 'exhaustive/node_modules/.bin', name), file]

test('its manifest and its types are right for every kind of importer', async () => {
  await run([...program('publint'), '--strict'])
  await run([...program('attw'), '--profile', 'esm-only'])
})

test('it has a licence and no dependencies, and needs no platform', () => {
  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'index.js', 'package.json', 'types'])
  const manifest: unknown = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({
    name: PROTOCOL_NAME,
    version: '1.2.3',
    license: 'Apache-2.0',
    sideEffects: false,
  })
  expect(Object.keys(manifest as object)).not.toContain('dependencies')
  const code = readFileSync(join(installed, 'index.js'), 'utf8')
  expect(code.match(/^.*(\bnode:|\bBun\.|\bBuffer\.|\bprocess\.|\brequire\(|^import ).*$/gm)).toBeNull()
  // Paths of the machine that built it.
  expect(code).not.toContain(ROOT)
})

const blocks = blocksOf('packages/protocol/README.md')
const examples = blocks.flatMap(({ language, code, line }, index) =>
  language === 'js' ? [{ line, code, prints: blocks[index + 1]?.code ?? '' }] : [],
)

test('the README has examples', () => expect(examples).toHaveLength(3))

test.each(examples)('the example in line $line of the README prints what it says', async ({ line, code, prints }) => {
  writeFileSync(join(home, `line-${line}.js`), code)
  const printed = await run(['node', `line-${line}.js`])
  expect(printed.trimEnd().split('\n')).toEqual(prints.split('\n'))
})

test('the example of docs/use/protocol-package.md runs, with a vendor that answers at once', async () => {
  const [example] = blocksOf('docs/use/protocol-package.md')
  const vendor = [
    `const key = 'sk-test'`,
    `const request = { model: 'harbour', seed: 1, messages: [{ role: 'user', content: 'When is high tide?' }] }`,
    `const answer = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'At five.' }], stop_reason: 'end_turn' }`,
    'globalThis.fetch = async (url) => (console.log(url), Response.json(answer))',
  ]
  writeFileSync(join(home, 'page.js'), [...vendor, example?.code].join('\n'))
  const printed = await run(['node', 'page.js'])
  for (const part of ['https://api.anthropic.com/v1/messages', '200', 'chat.completion', `field: 'seed'`])
    expect(printed).toContain(part)
})

test('TypeScript finds the types, without those of a platform', async () => {
  const code = [
    `import { translateRequest, translateStream, usageOf } from '${PROTOCOL_NAME}'`,
    `const { translation } = translateRequest({}, { from: 'chat', to: 'messages', id: 'a', now: 0 })`,
    'const input: number | undefined = usageOf(translateStream(translation))?.input',
    'export { input }',
    `// @ts-expect-error: no such protocol`,
    `translateRequest({}, { from: 'telegraph', to: 'messages', id: 'a', now: 0 })`,
  ]
  writeFileSync(join(home, 'types.ts'), code.join('\n'))
  const compiler = ['node', join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--lib', 'ES2023']
  await run([...compiler, '--types', '', '--module', 'nodenext', '--ignoreConfig', 'types.ts'])
})

test('a bundler takes it once, and leaves it out where nothing of it is used', async () => {
  const sizeOf = async (code: string): Promise<number> => {
    const entry = join(home, 'entry.js')
    writeFileSync(entry, `import { translateRequest } from '${PROTOCOL_NAME}'\n${code}`)
    const { outputs } = await Bun.build({ entrypoints: [entry], minify: true })
    return outputs[0]?.size ?? 0
  }
  expect(await sizeOf('console.log(translateRequest)')).toBeLessThan(400_000)
  expect(await sizeOf('console.log(1)')).toBeLessThan(100)
})

test('a browser translates a request', async () => {
  browser = await startBrowser()
  const page = await browser.newPage()
  const code = readFileSync(join(installed, 'index.js'), 'utf8')
  await page.route('http://package.test/**', (route) =>
    route.request().url().endsWith('.js')
      ? route.fulfill({ contentType: 'text/javascript', body: code })
      : route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  )
  await page.goto('http://package.test/')
  const sent = await page.evaluate(async (address) => {
    const { translateRequest } = (await import(address)) as typeof import('@trivium/protocol')
    const request = { model: 'harbour', messages: [{ role: 'user', content: 'When is high tide?' }] }
    return translateRequest(request, { from: 'chat', to: 'messages', id: 'demo', now: 0 }).body
  }, 'http://package.test/index.js')
  expect(sent).toMatchObject({ model: 'harbour', messages: [{ role: 'user', content: 'When is high tide?' }] })
})
