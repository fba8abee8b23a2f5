// The start of a server: what it prints, and what it creates.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MODEL_TYPES, modalityOf } from '../../packages/gateway/src/modalities/index.ts'
import { VERSION } from '../../packages/gateway/src/observe/version.ts'
import { chat, type Gateway, startGateway, type UsageEntry } from '../support/gateway/gateway.ts'
import { ENGINES, newHome } from '../support/gateway/home.ts'

/** One of each type. */
const EMBEDDED = MODEL_TYPES.map((type) => modalityOf(type).sandbox.id)

/** The arguments that a shell passes to `curl`. */
function wordsOfCurl(text: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${text.slice(text.indexOf('curl '))}`
  return Bun.spawnSync(['sh', '-c', script]).stdout.toString().split('\0').slice(0, -1)
}

/** Sends what curl would send for -H and -d. */
function curl(words: string[]): Promise<Response> {
  const [url = '', ...options] = words
  const headers = new Headers()
  let body = ''
  for (let at = 0; at < options.length; at += 2) {
    const [option, value = ''] = options.slice(at, at + 2)
    if (option === '-H') headers.append(value.slice(0, value.indexOf(':')), value.slice(value.indexOf(':') + 1).trim())
    else if (option === '-d') body = value
    else throw new Error(`what is ${option}?`)
  }
  return fetch(url, { method: 'POST', headers, body })
}

describe.each(ENGINES)('the first start on %s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({
      engine,
      config: `
sandbox: true
upstreams: [{ id: real, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [none] }]
models:
  - { id: real-model, routes: [{ upstream: real, model: x }], price: { input: 1, output: 1 } }
  - { id: both-model, routes: [{ upstream: real, model: x }, { upstream: sandbox, model: sandbox-text }], price: { input: 1, output: 1 } }
`,
    })
  })
  afterAll(() => gateway.stop())

  const database = () => {
    const { databaseUrl, dataDir } = gateway.home
    if (databaseUrl === undefined) return `SQLite database ${join(dataDir, 'ledger.db')}`
    const { host, pathname } = new URL(databaseUrl)
    return `PostgreSQL database ${host}${pathname}`
  }
  /** What every start shows. */
  const facts = () => ({
    address: gateway.url,
    console: `${gateway.url}/console`,
    data: gateway.home.dataDir,
    database: database(),
    config: gateway.home.configFile,
    models: `real: 2 (real-model, both-model); sandbox: ${EMBEDDED.length + 1} (both-model, ${EMBEDDED.slice(0, 4).join(', ')} and ${EMBEDDED.length - 4} more)`,
    'sign-up': 'registration is closed; registration: { open: true } in the configuration file opens it',
  })

  test('leaves a row in the audit log for each of its changes', async () => {
    const rows = await gateway.command<{ actor: string; action: string; object: string }[]>('audit-log')
    expect(rows.map(({ actor, action, object }) => [actor, action, object]).toReversed()).toEqual([
      ['job/first start', 'account create', 'account/1'],
      ['job/first start', 'key create', 'key/1'],
    ])
    expect(JSON.stringify(rows)).not.toContain(gateway.firstKey)
  })

  test('prints the addresses, and a curl command that works as pasted', async () => {
    const { stdout } = gateway.output()
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject(facts())
    expect(stdout).toContain('it belongs to the account newcomer@trivium.local, which has 10.00 USD')
    expect(stdout.match(/sk-/g)).toHaveLength(1)
    expect(gateway.output().stderr).not.toContain('sk-')
    const answer = await curl(wordsOfCurl(stdout))
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('[sandbox] You said: Hello')
  })

  test('the key belongs to an account with the trial credit and reaches embedded models only', async () => {
    const headers = { authorization: `Bearer ${gateway.firstKey}` }
    const models = (await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as { data: { id: string }[] }
    expect(models.data.map(({ id }) => id)).toEqual(EMBEDDED)
    for (const model of ['real-model', 'both-model']) {
      const answer = await chat(gateway.url, gateway.firstKey ?? '', {
        model,
        messages: [{ role: 'user', content: 'x' }],
      })
      expect(answer.status).toBe(403)
    }
    const [row] = await gateway.command<UsageEntry[]>('usage', '--account', 'newcomer@trivium.local')
    const { balance_usd } = await gateway.command<{ balance_usd: string }>(
      ...['account', 'show', '--account', 'newcomer@trivium.local'],
    )
    expect(Number(balance_usd) + Number(row?.cost_usd)).toBe(10)
  })

  test('a second start prints no secret, and the first key still works', async () => {
    const secret = gateway.firstKey ?? ''
    await gateway.kill()
    gateway = await startGateway({ home: gateway.home })
    const { stdout, stderr } = gateway.output()
    const [first, ...others] = [stdout, stderr].flatMap((text) => text.trimEnd().split('\n').filter(Boolean))
    expect(JSON.parse(first ?? '')).toMatchObject({ version: VERSION, ...facts() })
    for (const line of others) expect(JSON.parse(line)).toHaveProperty('message')
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    expect((await chat(gateway.url, secret, HELLO)).status).toBe(200)
  })
})

const HELLO = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }

test('a vendor added after a start with the sandbox: the start says what to do, and the error says what is wrong', async () => {
  const home = await newHome('sqlite', 'server: { drain: 0s }')
  const first = await startGateway({ home })
  const secret = first.firstKey ?? ''
  expect(first.output().stdout).toContain('registration is open: each new account gets 10.00 USD of trial credit"')
  await first.kill()
  const gateway = await startGateway({ home, env: { OPENAI_API_KEY: 'hunter2' } })
  const { stdout, stderr } = gateway.output()
  expect(stdout).toMatch(/"models":"openai: \d+ \((\S+, ){4}\S+ and \d+ more\)"/)
  expect(stdout).toContain('registration is closed;')
  expect(stdout).toContain('No existing key can use any of these models.')
  expect((JSON.parse(stdout) as { next: string }).next).toContain(
    'key create --account you@example.com --name laptop\n',
  )
  expect(stdout).toContain(`sandbox: true in ${home.configFile} keeps those models too`)
  expect(stdout).not.toContain('sk-')
  const remark = "1 key is in group 'sandbox', which does not exist"
  expect(stderr).toContain(remark)
  expect(JSON.stringify(await gateway.command<object>('config', 'check'))).toContain(remark)
  for (const model of ['sandbox-text', 'gpt-4.1']) {
    const answer = await chat(gateway.url, secret, { ...HELLO, model })
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("'sandbox' no longer exists")])
  }
  await gateway.stop()
})

test('GET / names only endpoints that exist', async () => {
  const gateway = await startGateway()
  const entry = (await (await fetch(gateway.url)).json()) as Record<string, string>
  const paths = Object.values(entry).filter((value) => value.startsWith('/'))
  expect(paths).toContain('/v1/models')
  const headers = { authorization: `Bearer ${gateway.firstKey}` }
  for (const path of paths)
    expect([path, (await fetch(`${gateway.url}${path}`, { headers })).status]).toEqual([path, 200])
  await gateway.stop()
})

test('a .env file is not read, however the gateway is started', async () => {
  const { dataDir } = await newHome('sqlite')
  writeFileSync(join(dataDir, '.env'), 'PORT=70000\nOPENAI_API_KEY=hunter2\n')
  const launcher = join(import.meta.dir, '../../tools/run.mjs')
  const env = { PATH: process.env.PATH ?? '', TRIVIUM_DATA: join(dataDir, 'data') }
  const { exitCode, stdout } = Bun.spawnSync(['node', launcher, 'upstream', 'list', '--json'], { cwd: dataDir, env })
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout.toString())).toMatchObject([{ id: 'sandbox' }])
  rmSync(dataDir, { recursive: true, force: true })
})

test('a configured group named sandbox with other models gets no first key', async () => {
  const gateway = await startGateway({
    config: `
sandbox: true
upstreams: [{ id: real, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [none] }]
models: [{ id: real-model, routes: [{ upstream: real, model: x }], price: { input: 1, output: 1 } }]
groups: [{ id: sandbox, models: ["*"] }]
`,
  })
  expect(gateway.output().stdout).not.toContain('sk-')
  await gateway.stop()
})

test('a damaged journal is reported and kept, and the server starts', async () => {
  const home = await newHome('sqlite')
  const journal = join(home.dataDir, 'journal')
  mkdirSync(journal)
  writeFileSync(join(journal, '0-1.jsonl'), 'no JSON at all\n{"half": \n')
  const gateway = await startGateway({ home })
  expect(gateway.output().stderr).toContain('is damaged')
  expect([...new Bun.Glob('*.damaged').scanSync(journal)]).toHaveLength(1)
  await gateway.stop()
})

test('files in the data folder are readable by their owner only', async () => {
  const gateway = await startGateway()
  for (const name of ['secret', 'ledger.db', 'control.sock', 'control.json', 'journal']) {
    expect([name, statSync(join(gateway.home.dataDir, name)).mode & 0o077]).toEqual([name, 0])
  }
  await gateway.stop()
})
