// A whole mixed run, with planted secrets: none of them is in logs, errors, metrics, traces, audit rows or arguments of processes, nor in
// clear in the database.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeAt, decodeBase32 } from '../../packages/gateway/src/console-api/session/totp.ts'
import { adminClient, adminOutcome } from '../../test/support/admin/admin-client.ts'
import { eventually } from '../../test/support/eventually.ts'
import { consoleClient, outcomeOf } from '../../test/support/gateway/console.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES, environmentOf, type Home, runCommand } from '../../test/support/gateway/home.ts'
import { program } from '../../test/support/gateway/program.ts'
import { ask } from '../../test/support/postgres/schemas.ts'
import { reply } from '../../test/support/upstreams/raw-upstream.ts'

/** By what it is; each is long and random, so that it is found nowhere by chance. */
const random = (what: string) => `${what.replaceAll(' ', '-')}-${randomBytes(12).toString('hex')}`
const STEP_MS = 30_000

/** Answers with the prompt, and a model that starts with `leaky` with an error that repeats the key. */
function startVendor() {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { model, messages, stream } = (await request.json()) as {
        model: string
        messages: { content: string }[]
        stream?: boolean
      }
      const key = request.headers.get('authorization')?.slice('Bearer '.length)
      if (model === 'leaky') return Response.json({ error: { message: `Incorrect API key: ${key}` } }, { status: 401 })
      if (model === 'broken') return Response.json({ error: { message: `${key} is overloaded` } }, { status: 500 })
      const content = `You said ${messages.at(-1)?.content}`
      if (!stream)
        return Response.json(
          reply({ choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] }),
        )
      const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'inner' }
      const events = [
        { ...chunk, choices: [{ index: 0, delta: { content }, finish_reason: null }] },
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
        { ...chunk, choices: [], usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } },
      ]
      const text = `${events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n`
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
}

const startCollector = (received: string[]) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      received.push(Buffer.from(await request.arrayBuffer()).toString('latin1'))
      return Response.json({})
    },
  })

const configOver = (url: string, key: (id: string) => string) => `
sandbox: true
registration: { open: true, trial_credit: 1 }
upstreams:
${['main', 'leaky', 'broken'].map((id) => `  - { id: ${id}, dialect: chat, base_url: "${url}v1", keys: ["${key(id)}"] }`).join('\n')}
models:
${['main', 'leaky', 'broken'].map((id) => `  - { id: m-${id}, routes: [{ upstream: ${id}, model: ${id} }], price: { input: 1, output: 4 } }`).join('\n')}
`

/** All files below the folder, except what is meant to have secrets in it. */
function filesOf(folder: string): Buffer[] {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
  return paths
    .filter((entry) => entry.isFile() && !['secret', 'trivium.yaml'].includes(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => (existsSync(path) ? [readFileSync(path)] : []))
}

async function dumpOf({ dataDir, databaseUrl }: Home): Promise<string> {
  const files = filesOf(dataDir).map((bytes) => bytes.toString('latin1'))
  if (databaseUrl === undefined) return files.join('\n')
  const tables = await ask(databaseUrl, 'select tablename from pg_tables where schemaname = current_schema()')
  const rows = await Promise.all(tables.map(({ tablename }) => ask(databaseUrl, `select * from "${tablename}"`)))
  const shown = (value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)
  return [...files, ...rows.flat().flatMap((row) => Object.values(row).map(shown))].join('\n')
}

const cmdlines = (): string =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      } catch {
        return ''
      }
    })
    .join('\n')

describe.each([...ENGINES])('%s', (engine) => {
  const planted = new Map<string, string>()
  const plant = (what: string, secret = random(what)): string => {
    planted.set(what, secret)
    return secret
  }
  const foundIn = (text: string): string[] =>
    [...planted].filter(([, secret]) => text.includes(secret)).map(([what]) => what)
  /** Bodies of errors. */
  const errors: string[] = []
  /** What a collector of traces got. */
  const traces: string[] = []
  let collector: ReturnType<typeof startCollector>
  let vendor: ReturnType<typeof startVendor>
  let gateway: Gateway

  beforeAll(async () => {
    vendor = startVendor()
    const config = configOver(vendor.url.href, (id) => plant(`upstream key ${id}`))
    collector = startCollector(traces)
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.href, OTEL_BSP_SCHEDULE_DELAY: '100' }
    gateway = await startGateway({ engine, config, env })
  })
  afterAll(async () => {
    await gateway.stop()
    await vendor.stop(true)
    await collector.stop(true)
  })

  async function call(
    secret: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) errors.push(text)
    return text
  }
  const says = (model: string, content: string, more: object = {}) => ({
    model,
    messages: [{ role: 'user', content }],
    ...more,
  })
  const command = async (args: readonly string[], stdin = '') => {
    const ended = await runCommand(gateway.home, [...args, '--json'], {}, stdin)
    if (ended.code !== 0) errors.push(ended.stderr)
    return { ...ended, result: ended.code === 0 ? JSON.parse(ended.stdout) : undefined }
  }

  async function useModels(): Promise<string> {
    const password = plant('password')
    const email = ['--email', 'ada@example.com']
    await command(['account', 'create', ...email, '--credit', '50', '--password-stdin'], password)
    const { result } = await command(['key', 'create', '--account', 'ada@example.com', '--name', 'laptop'])
    const secret = plant('client key', result.secret)
    const key = plant('idempotency key')
    await call(secret, '/v1/chat/completions', says('m-main', plant('prompt of a chat')), { 'idempotency-key': key })
    const streamed = says('m-main', plant('prompt of a stream'), { stream: true })
    expect(await call(secret, '/v1/chat/completions', streamed)).toContain('You said')
    await call(secret, '/v1/messages', { ...says('m-main', plant('prompt of a message')), max_tokens: 50 })
    await call(secret, '/v1/responses', { model: 'm-main', input: plant('prompt of a response'), store: true })
    await call(secret, '/v1/chat/completions', says('m-leaky', plant('prompt of a rejected key')))
    await call(secret, '/v1/chat/completions', says('m-broken', plant('prompt of a failure')))
    await call(plant('unknown key', `sk-${random('unknown')}`), '/v1/chat/completions', says('m-main', 'x'))
    await call(secret, '/v1/chat/completions', `{"model": "m-main", "messages": "${plant('prompt of a bad request')}"}`)
    await call(
      secret,
      '/v1/chat/completions',
      says('m-main', plant('prompt that costs too much'), { max_tokens: 90_000_000 }),
    )
    await call(secret, '/v1/images/generations', {
      model: 'sandbox-image',
      prompt: plant('prompt of an image'),
      size: '64x64',
      response_format: 'url',
    })
    const content = [{ type: 'text', text: `${plant('prompt of a video')} --duration 1` }]
    const task = JSON.parse(
      await call(secret, '/api/v3/contents/generations/tasks', { model: 'sandbox-video', content }),
    )
    await eventually(async () => {
      const at = `${gateway.url}/api/v3/contents/generations/tasks/${task.id}`
      const { status } = (await (await fetch(at, { headers: { authorization: `Bearer ${secret}` } })).json()) as {
        status: string
      }
      return status === 'succeeded'
    })
    return secret
  }

  async function useConsole(): Promise<void> {
    const password = planted.get('password') ?? ''
    const client = consoleClient(gateway.url)
    const wrong = { email: 'ada@example.com', password: plant('wrong password') }
    errors.push((await client.post('sign-in', wrong)).text)
    expect(outcomeOf(await client.post('sign-in', { ...wrong, password }))).toBe('200')
    plant('session token', client.token() ?? '')
    const begun = await client.post<{ secret: string }>('second-factor/begin')
    const secret = plant('second factor', begun.body.secret)
    const codeOf = (ahead: number) =>
      codeAt(decodeBase32(secret) ?? new Uint8Array(), Math.floor(Date.now() / STEP_MS) + ahead)
    const confirmed = await client.post<{ recovery_codes: string[] }>('second-factor/confirm', {
      secret,
      code: codeOf(0),
      password,
    })
    expect(outcomeOf(confirmed)).toBe('200')
    plant('recovery code', confirmed.body.recovery_codes[0] ?? '')
    const again = consoleClient(gateway.url)
    expect(outcomeOf(await again.post('sign-in', { ...wrong, password, code: codeOf(1) }))).toBe('200')
    plant('second session token', again.token() ?? '')
    const { result } = await command(['code', 'create', '--amount', '2', '--count', '2', '--label', 'spring'])
    const [redeemed, revoked] = (result as { code: string }[]).map(({ code }) => code)
    plant('redeemed code', redeemed)
    plant('redeemed code without hyphens', redeemed?.replaceAll('-', ''))
    plant('revoked code', revoked)
    expect(outcomeOf(await again.post('wallet/redeem', { code: redeemed }))).toBe('200')
    errors.push((await again.post('wallet/redeem', { code: redeemed })).text)
    expect((await command(['code', 'revoke', '-'], revoked)).result).toEqual({ revoked: 1 })
    const playground = await again.post(
      'playground/v1/chat/completions',
      says('m-main', plant('prompt of the playground')),
    )
    expect(outcomeOf(playground)).toBe('200')
    const visitor = consoleClient(gateway.url)
    const registration = { email: 'new@example.com', password: plant('password of a sign-up') }
    expect(outcomeOf(await visitor.post('register', registration))).toBe('201')
    plant('session token of a sign-up', visitor.token() ?? '')
    errors.push((await visitor.post('register', registration)).text)
    const created = await visitor.post<{ secret: string }>('keys', { name: 'mine' })
    expect(outcomeOf(created)).toBe('201')
    plant('key of the console', created.body.secret)
  }

  /** Secrets of the stored configuration: in use, replaced, and in changes that are rejected. */
  async function storeConfiguration(): Promise<void> {
    const { secret } = (await command(['admin-key', 'create', '--name', 'deploy', '--role', 'owner'])).result as {
      secret: string
    }
    const admin = adminClient(gateway.url, plant('admin key', secret))
    const shown: unknown[] = []
    const send = async (expected: number, method: string, path: string, body?: object) => {
      const answer = await admin(method, path, body === undefined ? {} : { body })
      expect([path, adminOutcome(answer), answer.status]).toEqual([path, expect.any(String), expected])
      shown.push(answer.body)
      return answer.body as { id: string }
    }
    const upstream = (id: string) => ({ id, dialect: 'chat', base_url: `${vendor.url.href}v1` })
    const proxy = `http://me:${plant('password of a proxy')}@127.0.0.1:3128`
    await send(201, 'POST', 'upstreams', { ...upstream('kept'), keys: [plant('stored key')], proxy })
    await send(400, 'POST', 'upstreams', { ...upstream('bad'), keys: [plant('key of a mistake')], http: '9' })
    await send(409, 'POST', 'upstreams', { ...upstream('main'), keys: [plant('key of a conflict')] })
    const added = await send(201, 'POST', 'upstreams/kept/keys', { secret: plant('added key') })
    await send(200, 'DELETE', `upstreams/kept/keys/${added.id}`)
    await send(200, 'POST', `upstreams/kept/keys/${added.id}/erase`, {})
    await send(200, 'PATCH', 'settings', {
      mail: { url: `smtps://me:${plant('password of mail')}@mx.example.com`, from: 'gateway@example.com' },
      server: { metrics_token: plant('token of metrics') },
    })
    for (const path of ['upstreams', 'upstreams/kept', 'upstreams/kept/keys', 'settings', 'configuration/revisions'])
      await send(200, 'GET', path)
    for (const revision of [1, 2, 3, 4]) await send(200, 'GET', `configuration/revisions/${revision}`)
    await send(200, 'POST', 'configuration/revisions/1/restore?dry_run=true', {})
    expect(foundIn(JSON.stringify(shown))).toEqual([])
    // The last four characters, so that a person can tell which key it is.
    expect(JSON.stringify(shown)).toContain(`"last_four":"${planted.get('stored key')?.slice(-4)}"`)
  }

  test('planted secrets are nowhere', async () => {
    const secret = await useModels()
    await storeConfiguration()
    await useConsole()
    expect((await command(['key', 'find', '-'], secret)).result).toMatchObject([{ account: 'ada@example.com' }])
    const { url } = (await command(['account', 'sign-in-link', '--account', 'new@example.com'])).result as {
      url: string
    }
    plant('token of a link', /[A-Za-z0-9_-]{43}/.exec(url)?.[0] ?? '')
    expect([...planted.values()].filter((each) => each.length < 16)).toEqual([])

    // A command that waits for the secret on its standard input.
    const waiting = Bun.spawn([process.execPath, await program(), 'key', 'find', '-'], {
      env: environmentOf(gateway.home),
      stdin: 'pipe',
      stdout: 'ignore',
    })
    // Its arguments can be read once the kernel has replaced the copy of this process.
    await eventually(() => cmdlines().includes('key\0find\0-'))
    expect(foundIn(cmdlines())).toEqual([])
    waiting.stdin.write(secret)
    await waiting.stdin.end()
    await waiting.exited

    const { stdout, stderr } = gateway.output()
    expect(foundIn(stdout + stderr)).toEqual([])
    expect(stderr).toContain('upstream rejected the API key')
    expect(foundIn(errors.join('\n'))).toEqual([])
    expect(errors.length).toBeGreaterThanOrEqual(8)
    expect(foundIn(await (await fetch(`${gateway.url}/metrics`)).text())).toEqual([])
    await eventually(() => traces.join('').includes('m-broken'))
    expect(foundIn(traces.join('\n'))).toEqual([])
    const { stdout: log } = await command(['audit-log', '--limit', '0'])
    expect(log).toContain('code revoke')
    expect(foundIn(log)).toEqual([])
    const { stdout: report } = await command(['report', 'failures'])
    expect(report).toContain('m-broken')
    expect(foundIn(report)).toEqual([])
    const dump = await dumpOf(gateway.home)
    expect(dump).toContain('ada@example.com')
    expect(foundIn(dump)).toEqual([])
  })
})
