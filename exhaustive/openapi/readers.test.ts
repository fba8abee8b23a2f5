// Who reads the description of the API: a generator of clients, a browser, and programs that ask again.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBrowser } from '../../test/support/browser.ts'
import { overflow } from '../../test/support/console/page.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { operate } from '../../test/support/gateway/operate.ts'

const ROOT = join(import.meta.dir, '../..')
const TOOLS = join(ROOT, 'tools/api-client/node_modules')

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.stop())

/** What a program with the client does. What the types do not have, it cannot write. */
const PROGRAM = `import createClient from 'openapi-fetch'
import type { paths } from './trivium.js'

declare const process: { argv: string[]; exit(code: number): never }
const [, , url = '', key = ''] = process.argv
const api = createClient<paths>({ baseUrl: url, headers: { authorization: \`Bearer \${key}\` } })

const created = await api.POST('/admin/v1/accounts', { body: { email: 'typed@example.com', credit_usd: '3' } })
if (created.error) throw new Error(created.error.error.message)
const { data, error } = await api.GET('/admin/v1/accounts', { params: { query: { limit: 10 } } })
if (error) throw new Error(error.error.code === 'forbidden' ? 'a better key is needed' : error.error.message)
for (const account of data.data) console.log(account.email, account.balance_usd)

const missing = await api.GET('/admin/v1/accounts/{account}', { params: { path: { account: '999' } } })
console.log(missing.response.status, missing.error?.error.code)

// @ts-expect-error there is no such path
await api.GET('/admin/v1/account').catch(() => {})
// @ts-expect-error an amount is text
const wrong: number | null = data.data[0]?.balance_usd ?? null
// @ts-expect-error there is no such code
if (missing.error?.error.code === 'no_such_code') console.log(wrong)
`

/** Without the types of the project's own dependencies. */
const COMPILER = {
  strict: true,
  noEmit: true,
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2023', 'dom'],
  types: [],
  skipLibCheck: true,
}

test('a client that is made from the document compiles strictly, and lists accounts with an admin key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-client-'))
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'list-accounts.ts'), PROGRAM)
    const document = await (await fetch(`${gateway.url}/openapi.json`)).text()
    writeFileSync(join(folder, 'openapi.json'), document)
    const generator = join(TOOLS, 'openapi-typescript/bin/cli.js')
    await run(folder, ['node', generator, 'openapi.json', '-o', 'trivium.ts'])
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER, include: ['*.ts'] }))
    await run(folder, ['node', join(TOOLS, 'typescript/bin/tsc')])
    const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'typed', role: 'owner' })
    const printed = await run(folder, [process.execPath, 'list-accounts.ts', gateway.url, secret])
    expect(printed.split('\n')).toEqual(expect.arrayContaining(['typed@example.com 3.00', '404 not_found']))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

async function run(cwd: string, command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect([command.join(' '), code, out + (code === 0 ? '' : err)]).toEqual([command.join(' '), 0, out])
  return out
}

describe('served', () => {
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(gateway.url + path, { headers, decompress: false })

  test.each([
    ['/openapi.json', 'application/json; charset=utf-8'],
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs.css', 'text/css; charset=utf-8'],
  ])('%s without a key, compressed, and once', async (path, type) => {
    const plain = await ask(path, { 'accept-encoding': 'identity' })
    expect([plain.status, plain.headers.get('content-type')]).toEqual([200, type])
    expect(plain.headers.get('content-security-policy')).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    )
    const text = await plain.text()
    const gzipped = await ask(path, { 'accept-encoding': 'gzip' })
    expect(gzipped.headers.get('content-encoding')).toBe('gzip')
    expect(new TextDecoder().decode(Bun.gunzipSync(await gzipped.arrayBuffer()))).toBe(text)
    const tag = plain.headers.get('etag') ?? ''
    const again = await ask(path, { 'if-none-match': `"other", ${tag}` })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag])
    expect((await ask(path, { 'if-none-match': '"other"' })).status).toBe(200)
    expect((await fetch(gateway.url + path, { method: 'POST' })).status).toBe(405)
  })

  test('the entry page names both', async () => {
    expect(await (await fetch(gateway.url)).json()).toMatchObject({ openapi: '/openapi.json', docs: '/docs' })
  })

  test('without the admin API where it is off', async () => {
    const off = await startGateway({ config: 'server: { admin: off }' })
    try {
      for (const path of ['/openapi.json', '/docs']) {
        expect(await (await fetch(off.url + path)).text()).not.toContain('/admin/v1')
        expect(await (await fetch(gateway.url + path)).text()).toContain('/admin/v1')
      }
    } finally {
      await off.stop()
    }
  })
})

test('the page is shown under a strict policy, and fits a phone in both themes', async () => {
  const browser = await startBrowser()
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ viewport: { width: 360, height: 740 }, isMobile: true, colorScheme })
      const problems: string[] = []
      page.on('console', (message) => problems.push(message.text()))
      page.on('pageerror', (error) => problems.push(error.message))
      page.on('request', (request) => {
        if (!request.url().startsWith(gateway.url)) problems.push(request.url())
      })
      await page.goto(`${gateway.url}/docs`)
      const details = page.locator('details')
      expect(await details.count()).toBeGreaterThan(100)
      // All at once: the widest of them decides.
      await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
      expect([Math.max(0, await overflow(page)), await page.evaluate('window.innerWidth')]).toEqual([0, 360])
      const key = page.locator('#keyCreate')
      expect(await key.innerText()).toContain('curl "$TRIVIUM_URL/admin/v1/keys"')
      expect(await key.innerText()).toContain('Needs the permission keys.')
      // The style is in force.
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
      expect(background).toBe(colorScheme === 'light' ? 'rgb(250, 250, 251)' : 'rgb(14, 15, 17)')
      expect(problems).toEqual([])
      await page.close()
    }
  } finally {
    await browser.close()
  }
})
