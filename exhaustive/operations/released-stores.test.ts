// Every release's store, restored and upgraded by this program on both engines: all of it is there, works, and goes on.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeAt, decodeBase32 } from '../../packages/gateway/src/console-api/session/totp.ts'
import { newDataFolder } from '../../test/support/data-folder.ts'
import { eventually } from '../../test/support/eventually.ts'
import { audit } from '../../test/support/gateway/accounts.ts'
import { consoleClient, outcomeOf } from '../../test/support/gateway/console.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES, type Engine, newHome, runCommand } from '../../test/support/gateway/home.ts'
import { videoClient } from '../../test/support/requests/videos.ts'
import { openaiAt } from '../../test/support/sdk/chained.ts'
import type { StoreFacts } from '../../test/support/store-facts.ts'

const STORES = join(import.meta.dir, '../../test/fixtures/stores')
const RELEASES = readdirSync(STORES, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)
const work = newDataFolder('trivium-releases-')
afterAll(() => rmSync(work, { recursive: true }))

const STEP_MS = 30_000
const codeNow = (secret: string) => codeAt(decodeBase32(secret) ?? new Uint8Array(), Math.floor(Date.now() / STEP_MS))

const MATRIX = RELEASES.flatMap((release) => ENGINES.map((engine): [string, Engine] => [release, engine]))

/** Figures of the day or month in which the store was made. */
const OF_THE_DAY = new Set([
  'spent_today_usd',
  'spent_this_month_usd',
  'spent_30_days_usd',
  'spent_under_cap_usd',
  'cap_left_usd',
  'cap_resets_at',
])

/** Its backups had no HMAC. */
const UNSIGNED = '0.1.0'

describe.each(MATRIX)('the store of %s on %s', (release, engine) => {
  const folder = join(STORES, release)
  // Formulas of 0.1.0 counted `1 images`.
  const shown = readFileSync(join(folder, 'facts.json'), 'utf8').replace(/"1 (image|second)s x/g, '"1 $1 x')
  const facts = JSON.parse(shown, (name, value) => (OF_THE_DAY.has(name) ? undefined : value)) as StoreFacts
  const { keys, email, account, password, team, codes } = facts
  let gateway: Gateway

  beforeAll(async () => {
    const file = join(work, `${release}.tar`)
    writeFileSync(file, Bun.gunzipSync(readFileSync(join(folder, 'store.tar.gz'))))
    const home = await newHome(engine, readFileSync(join(folder, 'trivium.yaml'), 'utf8'))
    // The archive's secret is used, and not that of the tests.
    const env = { TRIVIUM_SECRET: '' }
    const args = [
      'restore',
      file,
      '--passphrase-stdin',
      '--json',
      ...(release === UNSIGNED ? ['--unauthenticated'] : []),
    ]
    const restored = await runCommand(home, args, env, facts.passphrase)
    expect(restored).toMatchObject({ code: 0 })
    expect(JSON.parse(restored.stdout)).toMatchObject({ ok: true, audit: { ok: true, failed: [] } })
    const secret = readFileSync(join(home.dataDir, 'secret'), 'utf8')
    gateway = await startGateway({ home, ...(engine === 'postgres' ? { env: { TRIVIUM_SECRET: secret } } : {}) })
  })
  afterAll(() => gateway.stop())

  const run = <T>(...args: string[]) => gateway.command<T>(...args)
  const read = async (path: string, secret = keys.plain.secret) =>
    await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${secret}` } })
  const here = (url: string) => url.replace(/^http:\/\/[^/]+/, gateway.url)
  const body = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Say 2 words.' }] }

  test('the ledger adds up, and shows what the release showed', async () => {
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
    expect(await run<object[]>('account', 'list')).toMatchObject(facts.accounts)
    expect(await run<object[]>('key', 'list', '--account', team)).toMatchObject(facts.keyRows)
    const receipts = [
      ...(await run<object[]>('usage', '--account', account, '--limit', '0')),
      ...(await run<object[]>('usage', '--account', team, '--limit', '0')),
    ]
    expect(receipts).toMatchObject(facts.receipts)
    const range = ['--from', '2020-01-01', '--to', '2100-01-01']
    expect(await run<object[]>('report', 'spend', '--by', 'model', ...range)).toMatchObject(facts.spending)
    expect(await run<object[]>('rejected-requests', '--account', account)).toMatchObject(facts.rejected)
    const log = await run<object[]>('audit-log', '--limit', '0')
    expect(log.slice(-facts.auditLog.length)).toMatchObject(facts.auditLog)
    const fired = (rows: object[]) => rows.map((row) => ({ ...row, deliveries: undefined, state: undefined }))
    expect(fired(await run<object[]>('alert', 'list', '--limit', '0')).slice(-1)).toMatchObject(fired(facts.alerts))
  })

  test('what was stored can be read and continued', async () => {
    const { idempotent, response, video } = facts
    const repeated = await chat(gateway.url, keys.plain.secret, idempotent.body, idempotent.headers)
    expect([repeated.status, await repeated.text()]).toEqual([200, idempotent.text])
    const turn = { model: 'sandbox-text', input: 'Say 2 words.', previous_response_id: response }
    const next = await openaiAt(gateway.url, keys.plain.secret).responses.create(turn)
    expect(next.status).toBe('completed')
    const image = await fetch(here(facts.image))
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
    const film = await videoClient(gateway, keys.plain.secret).read(video)
    expect(film.status).toBe('succeeded')
    expect((await fetch(here(film.content?.video_url ?? ''))).headers.get('content-type')).toBe('video/mp4')
  })

  test('keys work as before, and requests are charged', async () => {
    expect((await chat(gateway.url, keys.plain.secret, body)).status).toBe(200)
    expect((await chat(gateway.url, keys.limited.secret, body)).status).toBe(200)
    expect((await chat(gateway.url, keys.limited.secret, { ...body, model: 'broken' })).status).toBe(403)
    expect((await chat(gateway.url, keys.removed.secret, body)).status).toBe(401)
    const rows = await run<{ outcome: string }[]>('usage', '--account', account, '--limit', '0')
    expect(rows.length).toBeGreaterThan(facts.receipts.length)
    expect((await read('/v1/usage')).status).toBe(200)
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  })

  const { since2 } = facts
  if (since2)
    test('what operators have stored is in force', async () => {
      expect((await read(`/admin/v1/accounts/${account}`, since2.adminKey)).status).toBe(200)
      const beside = async <T>(...args: string[]) => JSON.parse((await gateway.cli(...args, '--json')).stdout) as T
      const entries = await beside<{ source: { from: string } }[]>('config', 'entries')
      expect(entries.filter(({ source }) => source.from === 'stored')).toMatchObject(since2.entries)
      expect(await beside<object[]>('config', 'revisions')).toMatchObject(since2.revisions)
      expect((await chat(gateway.url, keys.plain.secret, { ...body, model: 'stored-text' })).status).toBe(200)
      // The second factor, and the key of the stored upstream.
      const { checks } = await beside<{ checks: object[] }>('doctor')
      expect(checks).toContainEqual(expect.objectContaining({ note: '2 stored secrets can be read' }))
      const unpaid = await chat(gateway.url, since2.unpaid, body)
      expect([unpaid.status, await unpaid.text()]).toEqual([403, expect.stringContaining('an unpaid invoice')])
      const deferred = await (await read(`/v1/responses/${since2.background}`)).json()
      expect(deferred).toMatchObject({ status: 'completed' })
      const [named] = await run<{ id: string; cost_usd: string }[]>('request', 'list', '--client-id', 'my-42')
      const refund = ['request', 'refund', named?.id ?? '', '--reason', 'cut off', '--id', 'refund-1']
      expect(await run<object>(...refund)).toMatchObject({ refunded_usd: named?.cost_usd })
      await beside('config', 'restore', '0')
      await eventually(
        async () => (await chat(gateway.url, keys.plain.secret, { ...body, model: 'stored-text' })).status === 404,
      )
      expect(await audit(gateway)).toMatchObject({ ok: true })
    })

  test('people sign in, with their second factor or a recovery code, and redeem what was not redeemed', async () => {
    const client = consoleClient(gateway.url)
    const credentials = { email, password }
    await client.post('sign-in', credentials)
    expect(client.token()).toBeUndefined()
    expect(outcomeOf(await client.post('sign-in', { ...credentials, code: codeNow(facts.secondFactor) }))).toBe('200')
    const recovering = consoleClient(gateway.url)
    expect(outcomeOf(await recovering.post('sign-in', { ...credentials, code: facts.recoveryCode }))).toBe('200')
    const { body: session } = await client.get<{ accounts: object[] }>('session')
    expect(JSON.stringify(session)).toContain(team)
    for (const code of [codes.redeemed, codes.revoked])
      expect(outcomeOf(await client.post('wallet/redeem', { code }))).toMatch(/^4/)
    expect(outcomeOf(await client.post('wallet/redeem', { code: codes.unused }))).toBe('200')
    const member = consoleClient(gateway.url)
    expect(outcomeOf(await member.post('sign-in', { email: facts.member, password }))).toBe('200')
    expect(await audit(gateway)).toMatchObject({ ok: true })
    expect(gateway.output().stderr).not.toContain('"level":"error"')
  })
})
