// Video tasks on PostgreSQL: the other node finishes what a dead one began, and an outage of the database loses and doubles nothing.
import { afterEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../test/support/eventually.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { homeOnSameDatabase, newHome } from '../../test/support/gateway/home.ts'
import { QUICK } from '../../test/support/gateway/video-gateway.ts'
import { type FlakyProxy, startFlakyProxy } from '../../test/support/postgres/flaky-proxy.ts'
import { videoBody, videoClient } from '../../test/support/requests/videos.ts'
import { type ScriptedVideo, startScriptedVideo } from '../../test/support/upstreams/scripted-video.ts'
import { seeded } from '../../tools/simulation/random.ts'
import { compareAll, configForFilms, submitSome, vary } from '../../torture/scenarios/crashes/crash-videos.ts'
import { newWallet, type Wallet } from '../../torture/setup.ts'

const running: { stop(): unknown }[] = []
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.stop()
})
const started = <T extends { stop(): unknown }>(each: T): T => {
  running.push(each)
  return each
}

/** All tasks end as their upstream says, charged or released once. */
async function expectAllEnded(gateway: Gateway, wallet: Wallet, films: ScriptedVideo, ids: readonly string[]) {
  let found = await compareAll(gateway, wallet, films, ids)
  const end = performance.now() + 100_000
  while (found.all.length > 0 && performance.now() < end) {
    await Bun.sleep(200)
    found = await compareAll(gateway, wallet, films, ids)
  }
  expect(found.all).toEqual([])
}

describe('a node is killed, and the other one finishes its task', () => {
  test.each<[string, begin: (films: ScriptedVideo) => void, until: (films: ScriptedVideo) => boolean]>([
    [
      'in the submit',
      ({ script }) => Object.assign(script, { submit: 'accept-hang' }),
      (films) => films.tasks.size > 0,
    ],
    [
      'between two queries',
      ({ script }) => Object.assign(script, { states: ['running'] }),
      (films) => films.count('query') > 1,
    ],
    [
      'in the copy',
      ({ script }) => Object.assign(script, { states: ['succeeded'], download: 'stall' }),
      (films) => films.count('download') > 0,
    ],
  ])('%s', async (_, begin, until) => {
    const films = started(await startScriptedVideo())
    const config = configForFilms(films.baseUrl)
    const home = await newHome('postgres', config)
    const first = started(await startGateway({ home, taskTiming: QUICK }))
    const second = started(await startGateway({ home: homeOnSameDatabase(home, config), taskTiming: QUICK }))
    const wallet = await newWallet(first, '10000')
    // So that the task is the other node's until that one is dead.
    second.signal('SIGSTOP')
    begin(films)
    const submitted = videoClient(first, wallet.secrets[0] ?? '')
      .submit(videoBody('vid'))
      .catch(() => undefined)
    await eventually(() => until(films))
    await first.kill()
    second.signal('SIGCONT')
    Object.assign(films.script, { submit: 'accept', download: 'works' })
    for (const task of films.tasks.values()) task.states = ['succeeded']
    const id = await submitted
    await expectAllEnded(second, wallet, films, id === undefined ? [] : [id])
    const [only] = films.tasks.values()
    const task = await videoClient(second, wallet.secrets[0] ?? '').read(only?.reference ?? '')
    expect([films.tasks.size, task.status]).toEqual([1, 'succeeded'])
    expect(films.script.video.equals(await (await fetch(task.content?.video_url ?? '')).bytes())).toBe(true)
  })
})

describe('the database is unavailable', () => {
  async function startOverProxy() {
    const films = started(await startScriptedVideo())
    const home = await newHome('postgres', configForFilms(films.baseUrl))
    const address = new URL(home.databaseUrl ?? '')
    const proxy = started(startFlakyProxy({ hostname: address.hostname, port: Number(address.port) }))
    address.port = String(proxy.port)
    const through = { ...home, databaseUrl: String(address) }
    const gateway = started(await startGateway({ home: through, taskTiming: QUICK }))
    // The test asks the database itself.
    const direct = { ...gateway, home }
    return { films, proxy, gateway: direct, wallet: await newWallet(direct, '10000') }
  }

  /** Answers are lost, then connections; a moment later all is well. */
  async function interrupt(proxy: FlakyProxy, ms: number): Promise<void> {
    proxy.mode = 'muted'
    await Bun.sleep(ms / 2)
    proxy.cut()
    await Bun.sleep(ms / 2)
    proxy.mode = 'open'
    proxy.cut()
  }

  const MOMENTS = [
    ['the submit', 'submit', 'accept'],
    ['a query', 'query', 'works'],
    ['the copy', 'download', 'works'],
  ] as const
  test.each(MOMENTS)('from the middle of %s on', async (_, operation, works) => {
    const { films, proxy, gateway, wallet } = await startOverProxy()
    let outage: Promise<void> | undefined
    films.script.states = ['running', 'succeeded']
    Object.defineProperty(films.script, operation, {
      get() {
        outage ??= interrupt(proxy, 1_000)
        return works
      },
    })
    const id = await videoClient(gateway, wallet.secrets[0] ?? '').submit(videoBody('vid'))
    await eventually(() => outage !== undefined)
    await outage
    await expectAllEnded(gateway, wallet, films, [id])
    expect(films.count('submit')).toBe(1)
  })

  test('again and again, at random moments', async () => {
    const { films, proxy, gateway, wallet } = await startOverProxy()
    const random = seeded(Math.floor(Math.random() * 1_000_000))
    vary(films, random)
    const accepted: string[] = []
    let isOver = false
    const load = Promise.all(Array.from({ length: 4 }, () => submitSome(gateway, wallet, random, accepted)))
    const outages = (async () => {
      while (!isOver) {
        await interrupt(proxy, random.between(10, 300))
        await Bun.sleep(random.between(0, 400))
      }
    })()
    await load
    await Bun.sleep(2_000)
    isOver = true
    await outages
    await expectAllEnded(gateway, wallet, films, accepted)
  })
})
