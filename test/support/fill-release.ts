// Fills a store with a little of everything, and writes its backup, its configuration and what is in it to a folder. Run once for
// each release, by its own program: test/fixtures/stores/README.md.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { codeAt, decodeBase32 } from '../../packages/gateway/src/console-api/session/totp.ts'
import { eventually } from './eventually.ts'
import { type ConsoleAnswer, consoleClient, PASSWORD } from './gateway/console.ts'
import { chat, startGateway } from './gateway/gateway.ts'
import { runCommand } from './gateway/home.ts'
import { QUICK } from './gateway/video-gateway.ts'
import { videoClient } from './requests/videos.ts'
import type { StoreFacts } from './store-facts.ts'

/** Whatever the date, nothing of it has expired. Port 9 answers nobody. */
const CONFIG = `sandbox: true
registration: { open: true, trial_credit: 1 }
retention: { responses: 36500d, reasoning: 36500d, idempotency: 36500d, requests: 36500d, media: 36500d, tasks: 36500d, audit: 36500d }
upstreams:
  - { id: broken, dialect: chat, base_url: "http://127.0.0.1:9/v1", keys: ["none"], breaker: false }
models:
  - { id: broken, routes: [{ upstream: broken, model: inner }], price: { input: 1, output: 4 } }
groups:
  - { id: default, models: ["*"] }
  - { id: staff, models: [sandbox-text], multiplier: 0.8 }
alerts: { webhooks: [{ url: "http://127.0.0.1:9/", secret: whsec_${Buffer.alloc(32).toString('base64')} }], allow_private: true, price_list_old: 1s }
`
const PASSPHRASE = 'a passphrase for a fixture'
const EMAIL = 'ada@example.com'
const MEMBER = 'bob@example.com'
const TEAM = 'team'

const [folder = ''] = process.argv.slice(2)
const target = resolve(folder)
mkdirSync(target, { recursive: true })

const gateway = await startGateway({
  config: CONFIG,
  taskTiming: QUICK,
  realPasswords: true,
  env: { OPENAI_API_KEY: 'none' },
})

async function run<T>(args: string[], stdin = ''): Promise<T> {
  const { code, stdout, stderr } = await runCommand(gateway.home, [...args, '--json'], {}, stdin)
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  return JSON.parse(stdout) as T
}
const must = <T>(answer: ConsoleAnswer<T>): T => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body
}
type Key = { id: string; secret: string }
type StoredEntry = { kind: string; name: string; state: string; source: { from: string } }

// People, accounts and keys.
const { id: account } = await run<{ id: string }>(
  ['account', 'create', '--email', EMAIL, '--credit', '50', '--password-stdin'],
  PASSWORD,
)
await run(['account', 'create', '--email', MEMBER, '--credit', '0', '--password-stdin'], PASSWORD)
await run(['account', 'create', '--name', TEAM, '--credit', '20'])
await run(['account', 'credit', '--account', TEAM, '--amount', '5', '--reason', 'an invoice', '--id', 'invoice-1'])
await run(['account', 'credit-line', '--account', TEAM, '--amount', '10'])
await run(['account', 'limit', '--account', TEAM, '--cap', '100', '--cap-period', 'month', '--rpm', '600'])
await run(['account', 'member', '--account', TEAM, '--email', EMAIL, '--role', 'owner'])
await run(['account', 'member', '--account', TEAM, '--email', MEMBER, '--role', 'member', '--cap', '7'])
await run(['person', 'role', '--email', EMAIL, '--role', 'admin'])
const plain = await run<Key>(['key', 'create', '--account', account, '--name', 'plain'])
const limits = ['--cap', '5', '--cap-period', 'day', '--rpm', '60', '--tpm', '100000', '--concurrent', '4']
const terms = ['--models', 'sandbox-text', '--ips', '127.0.0.1/32,10.0.0.0/8', '--expires', '2100-01-01T00:00:00Z']
const limited = await run<Key>([
  'key',
  'create',
  '--account',
  TEAM,
  '--name',
  'limited',
  '--group',
  'staff',
  ...limits,
  ...terms,
])
const removed = await run<Key>(['key', 'create', '--account', account, '--name', 'removed'])
await run(['key', 'delete', removed.id])
await run(['account', 'create', '--email', 'gone@example.com', '--credit', '0'])
await run(['account', 'delete', '--account', 'gone@example.com'])

// Requests of each kind, and those that fail.
const says = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: 'user', content: 'Say 5 words.' }],
  ...more,
})
async function call(secret: string, path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}
const repeated = { 'idempotency-key': 'once' }
const replayed = await call(plain.secret, '/v1/chat/completions', says('sandbox-text'), repeated)
await (await chat(gateway.url, limited.secret, says('sandbox-text', { stream: true }))).text()
await call(plain.secret, '/v1/messages', { ...says('sandbox-text'), max_tokens: 50 })
const stored = await call(plain.secret, '/v1/responses', { model: 'sandbox-text', input: 'Say 3 words.', store: true })
const image = { model: 'sandbox-image', prompt: 'a cat', size: '64x64', response_format: 'url' }
const drawn = JSON.parse((await call(plain.secret, '/v1/images/generations', image)).text) as {
  data: { url: string }[]
}
const videos = videoClient(gateway, plain.secret)
const video = await videos.submit({ model: 'sandbox-video', content: [{ type: 'text', text: 'A cat --duration 1' }] })
await videos.until(video, 'succeeded')
for (const [secret, body] of [
  [plain.secret, says('broken')],
  [plain.secret, says('no-such-model')],
  [plain.secret, says('sandbox-text', { max_tokens: 1_000_000_000 })],
] as const)
  if ((await call(secret, '/v1/chat/completions', body)).status < 400) throw new Error('a request should have failed')

// The console: second factor, codes, a registration, a key of a member, a preference.
const client = consoleClient(gateway.url)
const credentials = { email: EMAIL, password: PASSWORD }
must(
  await client
    .post('sign-in', { ...credentials, password: 'a wrong password' })
    .then((answer) => ({ ...answer, status: 200 })),
)
must(await client.post('sign-in', credentials))
const { secret: secondFactor } = must(await client.post<{ secret: string }>('second-factor/begin'))
const code = codeAt(decodeBase32(secondFactor) ?? new Uint8Array(), Math.floor(Date.now() / 30_000))
const confirmed = await client.post<{ recovery_codes: string[] }>('second-factor/confirm', {
  secret: secondFactor,
  code,
  password: PASSWORD,
})
const { recovery_codes } = must(confirmed)
const codes = await run<{ code: string }[]>(['code', 'create', '--amount', '2', '--count', '3', '--label', 'spring'])
const [redeemed = '', revoked = '', unused = ''] = codes.map((each) => each.code)
must(await client.post('wallet/redeem', { code: redeemed }))
await run(['code', 'revoke', '-'], revoked)
must(await client.post('preferences', { language: 'zh', low_balance_usd: '3' }))
const member = consoleClient(gateway.url)
must(await member.post('sign-in', { email: MEMBER, password: PASSWORD }))
const visitor = consoleClient(gateway.url)
must(await visitor.post('register', { email: 'new@example.com', password: PASSWORD }))

// What 0.2.0 added: stored configuration with a secret, admin keys, invitations, notes, mutes, refunds, background responses.
const STORED_KEY = 'a-stored-key-0123456789'
const upstream = ['--dialect', 'chat', '--base-url', 'http://127.0.0.1:9/v1', '--key-file', '-']
await run(['upstream', 'add', '--id', 'stored', ...upstream], STORED_KEY)
const price = ['--set', 'price.input=1', '--set', 'price.output=4']
await run(['model', 'add', '--id', 'stored-text', '--route', 'sandbox/sandbox-text', ...price])
await run(['settings', 'set', 'console.name', 'A fixture'])
await run(['settings', 'set', 'console.name', 'The fixture'])
await run(['upstream', 'disable', 'stored', '--reason', 'maintenance'])
const adminKey = await run<{ secret: string }>(['admin-key', 'create', '--name', 'robot', '--role', 'admin'])
async function administrate<T>(path: string, body: object): Promise<T> {
  const { status, text } = await call(adminKey.secret, `/admin/v1/${path}`, body)
  if (status >= 300) throw new Error(`${path}: ${status} ${text}`)
  return JSON.parse(text) as T
}
await run(['invitation', 'create', '--account', TEAM, '--email', 'invited@example.com'])
await administrate(`accounts/${account}/notes`, { text: 'pays by invoice' })
await run(['alert', 'mute', '--rule', 'upstream_down', '--until', '2026-12-31T00:00:00Z'])
const named = await call(plain.secret, '/v1/chat/completions', says('stored-text'), { 'x-client-request-id': 'my-42' })
if (named.status !== 200) throw new Error(named.text)
const [found] = await run<{ id: string }[]>(['request', 'list', '--client-id', 'my-42'])
await run(['request', 'refund', found?.id ?? '', '--reason', 'cut off', '--id', 'refund-1'])
await run(['account', 'create', '--name', 'unpaid', '--credit', '1'])
const unpaid = await run<Key>(['key', 'create', '--account', 'unpaid', '--name', 'unpaid'])
await run(['account', 'disable', '--account', 'unpaid', '--reason', 'an unpaid invoice'])
const background = { model: 'sandbox-text', input: 'Say 3 words.', background: true }
const deferred = JSON.parse((await call(plain.secret, '/v1/responses', background)).text) as { id: string }
await eventually(async () => {
  const headers = { authorization: `Bearer ${plain.secret}` }
  const response = await fetch(`${gateway.url}/v1/responses/${deferred.id}`, { headers })
  return ((await response.json()) as { status: string }).status === 'completed'
})

// What is written in the background.
await eventually(async () => (await run<object[]>(['alert', 'list'])).length > 0)
await eventually(async () => (await run<object[]>(['rejected-requests', '--account', account])).length > 0)

const archive = join(target, 'store.tar')
rmSync(archive, { force: true })
await run(['backup', archive, '--passphrase-stdin'], PASSPHRASE)
const accounts = await run<StoreFacts['accounts']>(['account', 'list'])
const facts: StoreFacts = {
  passphrase: PASSPHRASE,
  password: PASSWORD,
  email: EMAIL,
  account,
  member: MEMBER,
  team: TEAM,
  secondFactor,
  recoveryCode: recovery_codes[0] ?? '',
  keys: { plain, limited, removed },
  codes: { redeemed, revoked, unused },
  idempotent: { body: says('sandbox-text'), headers: repeated, text: replayed.text },
  response: (JSON.parse(stored.text) as { id: string }).id,
  image: drawn.data[0]?.url ?? '',
  video,
  accounts,
  keyRows: await run(['key', 'list', '--account', TEAM]),
  receipts: [
    ...(await run<object[]>(['usage', '--account', account, '--limit', '0'])),
    ...(await run<object[]>(['usage', '--account', TEAM, '--limit', '0'])),
  ],
  spending: await run(['report', 'spend', '--by', 'model', '--from', '2020-01-01', '--to', '2100-01-01']),
  auditLog: await run(['audit-log', '--limit', '0']),
  alerts: await run(['alert', 'list']),
  rejected: await run(['rejected-requests', '--account', account]),
  since2: {
    adminKey: adminKey.secret,
    unpaid: unpaid.secret,
    background: deferred.id,
    entries: (await run<StoredEntry[]>(['config', 'entries'])).flatMap(({ kind, name, state, source }) =>
      source.from === 'stored' ? [{ kind, name, state }] : [],
    ),
    revisions: (await run<{ id: string; action: string }[]>(['config', 'revisions'])).map(({ id, action }) => ({
      id,
      action,
    })),
  },
}
writeFileSync(join(target, 'store.tar.gz'), Bun.gzipSync(readFileSync(archive), { level: 9 }))
rmSync(archive)
writeFileSync(join(target, 'facts.json'), `${JSON.stringify(facts, undefined, 1)}\n`)
writeFileSync(join(target, 'trivium.yaml'), CONFIG)
await gateway.stop()
process.exit(0)
