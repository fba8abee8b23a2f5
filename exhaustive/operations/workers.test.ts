// TRIVIUM_WORKERS: several processes on one port and one PostgreSQL, started and stopped together.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseUsd } from '../../packages/gateway/src/money/amount.ts'
import { METRICS } from '../../packages/gateway/src/observe/metrics/names.ts'
import { eventually } from '../../test/support/eventually.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { chat, type Gateway, startGateway, type UsageEntry } from '../../test/support/gateway/gateway.ts'
import { homeOnSameDatabase, newHome, runCommand } from '../../test/support/gateway/home.ts'
import { countIn, linesOf, scrape, usdIn } from '../../test/support/metrics.ts'
import { childrenOf, launchPostgres, type PostgresServer } from '../../test/support/postgres/postgres.ts'

const WORKERS = { TRIVIUM_WORKERS: '2' }
const talk = (content: string, stream = true) => ({
  model: 'sandbox-text',
  stream,
  messages: [{ role: 'user', content }],
})
const ENDLESS = talk('say 100000 words, pace 20 ms')
const CREDIT = '10'
/** A new connection, which the kernel assigns to any of the workers. */
const ANEW = { connection: 'close' }

const config = (price: number) =>
  `models: [{ id: priced, routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: ${price}, output: 4 } }]\n`

type Ready = { ready: boolean; config: string; nodes: number; drift: boolean }
async function readinessOf(gateway: Gateway): Promise<Ready & { status: number }> {
  const answer = await fetch(`${gateway.url}/ready`, { headers: ANEW })
  return { ...((await answer.json()) as Ready), status: answer.status }
}

/** The worker that served it: each is a node, and bits 12 to 21 of a request id are the node's number. */
const nodeOf = (answer: Response) =>
  Number((BigInt(`0x${answer.headers.get('x-request-id')?.slice(4)}`) >> 12n) & 1023n)

/** The second signal skips the wait for running requests. */
async function end(gateway: Gateway): Promise<number> {
  gateway.signal('SIGTERM')
  await Bun.sleep(400)
  gateway.signal('SIGTERM')
  return await gateway.exited
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('two workers', () => {
  let gateway: Gateway
  let secret = ''
  let email = ''
  beforeAll(async () => {
    gateway = await startGateway({
      engine: 'postgres',
      config: config(1),
      env: WORKERS,
      streamTiming: { usageWaitMs: 100 },
    })
    const made = await newKey(gateway, '100')
    secret = made.secret
    email = made.email
  })
  afterAll(() => gateway.stop())

  /** Opens streams until both workers have some; returns them by node. None is cancelled, since that would leave holds open for a while. */
  async function streamsOnBoth(): Promise<Response[][]> {
    const running = new Map<number, Response[]>()
    await eventually(async () => {
      const answer = await chat(gateway.url, secret, ENDLESS, ANEW)
      running.set(nodeOf(answer), [...(running.get(nodeOf(answer)) ?? []), answer])
      return running.size === 2
    })
    return [...running.values()]
  }

  test('print one summary, and are two nodes with one configuration', async () => {
    const { stdout } = gateway.output()
    expect(stdout.match(/"address"/g)).toHaveLength(1)
    expect(stdout.match(/sk-/g)).toHaveLength(1)
    await eventually(async () => (await readinessOf(gateway)).nodes === 2)
    expect(await readinessOf(gateway)).toMatchObject({ status: 200, ready: true, drift: false })
    const { hash } = await gateway.command<{ hash: string }>('config', 'check')
    expect((await readinessOf(gateway)).config).toBe(hash.slice(0, 12))
    const { checks } = await gateway.command<{ checks: { check: string; note: string }[] }>('doctor')
    expect(checks.find(({ check }) => check === 'nodes')?.note).toContain('2 running, all with configuration')
  })

  test('both reload the configuration on SIGHUP', async () => {
    writeFileSync(gateway.home.configFile, config(2))
    gateway.signal('SIGHUP')
    const reloaded = (worker: number) =>
      gateway
        .output()
        .stderr.split('\n')
        .some((line) => line.includes('models[priced].price changed') && line.includes(`"worker":${worker},`))
    await eventually(() => reloaded(1) && reloaded(2))
  })

  test('upstream list shows the calls and keys of all workers', async () => {
    const running = (await streamsOnBoth()).flat()
    const listed = async () => {
      type Listed = { id: string; key_states: { state: string; in_flight: number }[] | null }[]
      const list = await gateway.command<Listed>('upstream', 'list')
      return list.find(({ id }) => id === 'sandbox')?.key_states
    }
    await eventually(async () => (await listed())?.[0]?.in_flight === running.length)
    for (const answer of running) await answer.body?.cancel()
    await eventually(async () => (await listed())?.[0]?.in_flight === 0)
  })

  test('a killed worker is replaced; the other one keeps serving, also new requests', async () => {
    const running = await streamsOnBoth()
    const before = childrenOf(gateway.pid)
    const [victim = 0] = before
    process.kill(victim, 'SIGKILL')
    await eventually(() => !isAlive(victim))
    const endOf = (answer: Response) =>
      answer.text().then(
        (text) => text,
        () => 'cut',
      )
    const ends = running.map((answers) => answers.map(endOf))
    for (let count = 0; count < 20; count += 1) {
      const answer = await chat(gateway.url, secret, talk('Hello', false), ANEW)
      expect(answer.status).toBe(200)
      await answer.text()
    }
    await eventually(() => childrenOf(gateway.pid).length === 2)
    expect(childrenOf(gateway.pid)).not.toEqual(before)
    expect(gateway.output().stderr).toContain('worker exited; restarting it')
    const stateOf = (ended: Promise<string>) => Promise.race([ended, Bun.sleep(500).then(() => 'still running')])
    const states = await Promise.all(ends.map(async (ofNode) => new Set(await Promise.all(ofNode.map(stateOf)))))
    const cut = running[states.findIndex((ofNode) => ofNode.has('cut'))] ?? []
    expect(states.map((ofNode) => [...ofNode]).sort()).toEqual([['cut'], ['still running']])
    // The holds of the killed worker are reaped once its lease expires, each once; those of the other worker remain.
    const reaped = async () => {
      const rows = await gateway.command<UsageEntry[]>('usage', '--account', email, '--limit', '0')
      return rows.filter(({ outcome }) => outcome === 'reaped').map(({ request_id }) => request_id)
    }
    await eventually(async () => (await reaped()).length >= cut.length)
    expect((await reaped()).sort()).toEqual(cut.map((answer) => answer.headers.get('x-request-id') ?? '').sort())
    // Only the first start prints the summary.
    expect(gateway.output().stdout.match(/"address"/g)).toHaveLength(1)
  })

  test('a gateway with another configuration is config drift, which all report and none stops for', async () => {
    const home = homeOnSameDatabase(gateway.home, config(3))
    const other = await startGateway({ home })
    await eventually(async () => (await readinessOf(gateway)).drift)
    expect(await readinessOf(gateway)).toMatchObject({ status: 200, ready: true })
    await eventually(async () => (await readinessOf(other)).drift)
    const { code, stdout } = await gateway.cli('doctor', '--json')
    expect(code).toBe(1)
    expect(stdout).toContain('configurations differ')
    await end(other)
    await other.stop()
    await eventually(async () => !(await readinessOf(gateway)).drift)
  })

  test('a port in use prevents the start of another gateway with workers', async () => {
    const home = homeOnSameDatabase(gateway.home, '')
    const { code, stderr } = await runCommand(home, ['serve'], { ...WORKERS, PORT: new URL(gateway.url).port })
    expect(code).toBe(1)
    expect(stderr.split('\n').filter((line) => line.startsWith('cannot listen'))).toHaveLength(1)
    expect(stderr).toContain('another program is using it')
  })

  test('SIGTERM stops all of them, with everything settled', async () => {
    const answers = (await streamsOnBoth()).flat()
    const running = answers.map((answer) => answer.text())
    const workers = childrenOf(gateway.pid)
    expect(await end(gateway)).toBe(0)
    expect(workers.filter(isAlive)).toEqual([])
    for (const text of await Promise.all(running)) expect(text).toContain('data: {"error":')
    const next = await startGateway({ home: gateway.home, env: WORKERS })
    expect(next.output().stdout).not.toContain('sk-')
    const rows = await next.command<UsageEntry[]>('usage', '--account', email, '--limit', '0')
    const outcomeOf = (answer: Response) =>
      rows.filter(({ request_id }) => request_id === answer.headers.get('x-request-id')).map(({ outcome }) => outcome)
    expect(answers.flatMap(outcomeOf)).toEqual(answers.map(() => 'shutdown'))
    expect(await next.command('audit')).toMatchObject({ ok: true, open_holds: 0 })
    gateway = next
  })

  test('they end when their parent is killed', async () => {
    const workers = childrenOf(gateway.pid)
    await gateway.kill()
    await eventually(() => workers.every((pid) => !isAlive(pid)))
  })
})

test('without DATABASE_URL it is an error of one line', async () => {
  const { code, stdout, stderr } = await runCommand(await newHome('sqlite'), ['serve'], WORKERS)
  expect({ code, stdout, lines: stderr.trim().split('\n') }).toEqual({
    code: 1,
    stdout: '',
    lines: [expect.stringContaining('TRIVIUM_WORKERS above 1 needs DATABASE_URL') as unknown as string],
  })
})

describe('settlements that workers could not write to the database', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await launchPostgres()
  })
  afterAll(() => postgres.stop())

  test.each([
    { who: 'a worker that starts again', all: false },
    { who: 'the next start', all: true },
  ])('is found in their folder by $who', async ({ all }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'trivium-workers-'))
    const home = { dataDir, configFile: join(dataDir, 'trivium.yaml'), databaseUrl: await postgres.freshDatabase() }
    writeFileSync(home.configFile, config(1))
    let gateway = await startGateway({ home, env: WORKERS })
    const { secret, email, account } = await newKey(gateway, CREDIT)
    const metrics = async () => await (await scrape(gateway)).text()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => chat(gateway.url, secret, talk('say 50 words, pace 20 ms'), ANEW)),
    )
    expect(new Set(answers.map(nodeOf)).size).toBeGreaterThan(0)
    await postgres.kill()
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    for (const text of texts) expect(text.trimEnd()).toEndWith('data: [DONE]')
    await eventually(async () => countIn(await metrics(), METRICS.journal.name) === 8)
    expect(linesOf(await metrics(), METRICS.holds.name)).toEqual([])
    expect(usdIn(await metrics(), METRICS.charged.name)).toBe(0n)
    const workers = childrenOf(gateway.pid)
    if (all) await gateway.kill()
    for (const pid of workers) process.kill(pid, 'SIGKILL')
    await eventually(() => workers.every((pid) => !isAlive(pid)))
    await postgres.restart()
    if (all) gateway = await startGateway({ home, env: WORKERS })
    const outcomes = async () => {
      const { code, stdout } = await gateway.cli('usage', '--account', email, '--json')
      return code === 0 ? (JSON.parse(stdout) as UsageEntry[]).map(({ outcome }) => outcome) : []
    }
    await eventually(async () => (await outcomes()).filter((outcome) => outcome === 'completed').length === 8)
    await eventually(async () => (await readinessOf(gateway).catch(() => undefined))?.status === 200)
    expect(await gateway.command('audit')).toMatchObject({ ok: true, open_holds: 0 })
    const { balance_usd } = await account()
    const charged = (parseUsd(CREDIT) ?? 0n) - (parseUsd(balance_usd) ?? 0n)
    await eventually(async () => usdIn(await metrics(), METRICS.charged.name) === charged)
    await end(gateway)
    await gateway.stop()
  })
})
