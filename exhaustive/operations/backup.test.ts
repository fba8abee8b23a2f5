// A backup of a gateway under load, restored elsewhere: what was settled before is there, and what was begun goes on.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newDataFolder } from '../../test/support/data-folder.ts'
import { eventually } from '../../test/support/eventually.ts'
import { type Account, audit, newKey, type Row } from '../../test/support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { type Engine, environmentOf, type Home, newHome, runCommand } from '../../test/support/gateway/home.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { program } from '../../test/support/gateway/program.ts'
import { configForVideos, QUICK } from '../../test/support/gateway/video-gateway.ts'
import { videoClient } from '../../test/support/requests/videos.ts'
import { openaiAt } from '../../test/support/sdk/chained.ts'
import { type ScriptedVideo, startScriptedVideo } from '../../test/support/upstreams/scripted-video.ts'

const CLIENTS = 8
let work: string
let passphraseFile: string
beforeAll(() => {
  work = newDataFolder('trivium-backups-')
  passphraseFile = join(work, 'passphrase')
  writeFileSync(passphraseFile, 'a long passphrase\n')
})
afterAll(() => rmSync(work, { recursive: true }))

/** What an account has before the backup begins. */
type Begun = { secret: string; email: string; response: string; image: string; task: string }

async function begin(gateway: Gateway): Promise<Begun> {
  const { secret, email } = await newKey(gateway, '100')
  const openai = openaiAt(gateway.url, secret)
  const { id: response } = await openai.responses.create({ model: 'sandbox-text', input: 'Say 2 words.' })
  const images = await openai.images.generate({
    model: 'sandbox-image',
    prompt: 'a cat',
    size: '128x64' as '1024x1024',
    response_format: 'url',
  })
  const videos = videoClient(gateway, secret)
  const task = await videos.submit()
  await videos.until(task, 'running')
  return { secret, email, response, image: images.data?.[0]?.url ?? '', task }
}

/** Clients that send requests until they are stopped. `settled`: the ids of requests that have been answered. */
function startLoad(gateway: Gateway, secret: string) {
  const settled: string[] = []
  const statuses = new Set<number>()
  let going = true
  // Paced: clients that only wait for the gateway would take all of the CPU while the backup runs.
  const body = { model: 'sandbox-text', messages: [{ role: 'user', content: 'say 20 words, pace 5 ms' }] }
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (going) {
      const response = await chat(gateway.url, secret, body)
      await response.text()
      statuses.add(response.status)
      settled.push(response.headers.get('x-request-id') ?? '')
    }
  })
  const stop = async () => {
    going = false
    await Promise.all(clients)
  }
  return { settled, statuses, stop }
}

/** Everything that the account began is there in a gateway that was started from a copy, and goes on. */
async function expectContinued(gateway: Gateway, begun: Begun, upstream: ScriptedVideo): Promise<Row[]> {
  const openai = openaiAt(gateway.url, begun.secret)
  const turn = { model: 'sandbox-text', input: 'Say 2 words.', previous_response_id: begun.response }
  expect(await openai.responses.create(turn)).toMatchObject({ status: 'completed' })
  const image = await fetch(begun.image.replace(/^http:\/\/[^/]+/, gateway.url))
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
  const videos = videoClient(gateway, begun.secret)
  expect((await videos.read(begun.task)).status).toBe('running')
  for (const task of upstream.tasks.values()) task.states = ['succeeded']
  await videos.until(begun.task, 'succeeded')
  const rows = () => operate<Row[]>(gateway, 'usage', { account: begun.email, limit: '0' })
  await eventually(async () => (await audit(gateway)).open_holds === 0)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  const found = await rows()
  expect(found.filter(({ model }) => model === 'vid')).toMatchObject([{ outcome: 'completed', cost_usd: '0.25' }])
  expect((await operate<Account>(gateway, 'account show', { account: begun.email })).held_usd).toBe('0.00')
  return found
}

describe.each(['sqlite', 'postgres'] as const)('%s', (engine: Engine) => {
  let upstream: ScriptedVideo
  let config: string
  let gateway: Gateway
  let begun: Begun
  let file: string
  let settled: string[]

  beforeAll(async () => {
    upstream = await startScriptedVideo()
    upstream.script.states = ['running']
    config = configForVideos(upstream, upstream)
    gateway = await startGateway({ engine, config, taskTiming: QUICK })
    begun = await begin(gateway)
    file = join(work, `${engine}.tar`)
  })
  afterAll(async () => {
    await gateway.stop()
    upstream.stop()
  })

  test('a backup under load fails no request, and a second one of the same name is rejected', async () => {
    const load = startLoad(gateway, begun.secret)
    await eventually(() => load.settled.length > 100)
    settled = [...load.settled]
    const args = ['backup', file, '--passphrase-file', passphraseFile, '--json']
    const made = await gateway.cli(...args)
    await load.stop()
    expect(made).toMatchObject({ code: 0 })
    expect(JSON.parse(made.stdout)).toMatchObject({
      file,
      engine,
      has_secret: true,
      media: { place: 'archive', missing: 0 },
    })
    expect([...load.statuses]).toEqual([200])
    expect(load.settled.length).toBeGreaterThan(settled.length)
    expect(readdirSync(work).filter((name) => name.startsWith(`${engine}.tar.`))).toEqual([])
    expect(await gateway.cli(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('exists already') })
    expect(await audit(gateway)).toMatchObject({ ok: true })
  })

  test('a disk that is full while it is written leaves no file, and the server as it was', async () => {
    const full = join(work, 'full.tar')
    const { code, stderr } = await limited(gateway.home, ['backup', full, '--without-secret'], 64)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^the backup failed: [^\n]+\n$/m)
    expect(readdirSync(work).filter((name) => name.startsWith('full'))).toEqual([])
    expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
  })

  test('restored elsewhere, after a restore that ran out of disk: all that was settled is there, and the rest goes on', async () => {
    await gateway.kill()
    const home = await newHome(engine, config)
    const args = ['restore', file, '--passphrase-file', passphraseFile, '--json']
    // The archive's secret is used, and not that of the environment.
    const env = engine === 'postgres' ? { TRIVIUM_SECRET: '' } : undefined
    const failed = await limited(home, args, engine === 'sqlite' ? 64 : 1, env)
    expect(failed.code).toBe(1)
    expect(errorIn(failed)).toMatch(/^the restore failed: /)
    const refused = await runCommand(home, ['serve'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('is incomplete: a restore or a move into it failed')
    const restored = await runCommand(home, args, env)
    expect(restored).toMatchObject({ code: 0 })
    expect(JSON.parse(restored.stdout)).toMatchObject({ ok: true, audit: { ok: true, failed: [], lost_task_holds: 0 } })
    const again = await runCommand(home, args, env)
    expect(again.code).toBe(1)
    expect(errorIn(again)).toMatch(/is not empty|has tables already/)
    const next = await startGateway({ home, taskTiming: QUICK })
    try {
      const rows = await expectContinued(next, begun, upstream)
      const known = new Map(rows.map((row) => [row.request_id, row]))
      expect(settled.filter((id) => known.get(id)?.outcome !== 'completed')).toEqual([])
      expect(next.output().stderr).not.toContain('"level":"error"')
    } finally {
      await next.stop()
    }
  })
})

const errorIn = ({ stderr }: { stderr: string }): string => JSON.parse(stderr).error.message

/** In a process that can write only small files: a write beyond that fails, as on a full disk. */
async function limited(home: Home, args: readonly string[], blocks: number, env: Record<string, string> = {}) {
  // The signal is ignored, so that the write fails instead of the process.
  const script = `trap "" XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`
  const child = Bun.spawn(['sh', '-c', script, process.execPath, await program(), ...args], {
    env: environmentOf(home, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited])
  return { stderr, code }
}

test('migrate moves a stopped gateway from SQLite to PostgreSQL, where it goes on', async () => {
  const upstream = await startScriptedVideo()
  upstream.script.states = ['running']
  const config = configForVideos(upstream, upstream)
  const gateway = await startGateway({ config, taskTiming: QUICK })
  const begun = await begin(gateway)
  const { databaseUrl = '' } = await newHome('postgres')
  const urlFile = join(work, 'url')
  writeFileSync(urlFile, `${databaseUrl}\n`)
  const args = ['migrate', '--to-file', urlFile, '--json']
  const beside = await gateway.cli(...args)
  expect(beside.code).toBe(1)
  expect(errorIn(beside)).toContain('is in use by process')
  await gateway.kill()
  const { dataDir } = gateway.home
  const moved = await gateway.cli(...args)
  expect(moved).toMatchObject({ code: 0 })
  expect(JSON.parse(moved.stdout)).toMatchObject({ ok: true, already_moved: false })
  expect(JSON.parse((await gateway.cli(...args)).stdout)).toMatchObject({ ok: true, already_moved: true, rows: 0 })
  for (const name of readdirSync(dataDir).filter((each) => /^(ledger|contents)\.db/.test(each)))
    renameSync(join(dataDir, name), join(work, name))
  const secret = readFileSync(join(dataDir, 'secret'), 'utf8')
  const home: Home = { ...gateway.home, databaseUrl }
  const next = await startGateway({ home, taskTiming: QUICK, env: { TRIVIUM_SECRET: secret } })
  await expectContinued(next, begun, upstream)
  expect(existsSync(join(dataDir, 'ledger.db'))).toBe(false)
  await next.stop()
  upstream.stop()
})
