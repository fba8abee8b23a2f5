// A gateway over two scripted upstreams of video tasks, for all tests of a file or of a describe block.
import { afterAll, afterEach, expect } from 'bun:test'
import type { TaskTiming } from '../../../packages/gateway/src/tasks/timing.ts'
import { eventually } from '../eventually.ts'
import { videoClient } from '../requests/videos.ts'
import { doubledSubmits, type ScriptedVideo, startScriptedVideo } from '../upstreams/scripted-video.ts'
import { audit, newKey } from './accounts.ts'
import { type Gateway, startGateway } from './gateway.ts'
import type { Engine } from './home.ts'

export type VideoGateway = { gateway: Gateway; first: ScriptedVideo; second: ScriptedVideo }

export const QUICK: Partial<TaskTiming> = {
  tickMs: 20,
  firstSearchMs: 50,
  listedWithinMs: 600,
  firstPollMs: 40,
  longestPollMs: 100,
  missingMs: 1_000,
  firstCopyPauseMs: 50,
  longestCopyPauseMs: 100,
  silenceMs: 500,
  submitClaimMs: 1_000,
  claimMs: 2_000,
  acknowledgedWithinMs: 500,
  callbackPausesMs: [100, 200],
  hopelessPausesMs: [100, 100],
}

/** No process dies here, so a claim is never lost, however long the machine pauses. */
const UNDISTURBED: Partial<TaskTiming> = { ...QUICK, submitClaimMs: 20_000, claimMs: 20_000 }

type Options = { engine?: Engine; more?: string; timing?: Partial<TaskTiming> }

/**
 * After each test nothing is held any more, the ledger balances, no submit was sent twice and the scripts are as in the
 * beginning; after all of them there is no error in the log.
 */
export function startVideoGateway(options: Options = {}): Promise<VideoGateway> {
  const started = start(options)
  afterEach(async () => {
    const { gateway, first, second } = await started
    const doubled = doubledSubmits(first, second)
    try {
      await eventually(async () => (await audit(gateway)).open_holds === 0)
      expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
      expect(doubled).toEqual([])
    } finally {
      first.reset()
      second.reset()
    }
  })
  afterAll(async () => {
    const { gateway, first, second } = await started
    expect(gateway.output().stderr.match(/.*"level":"error".*/g) ?? []).toEqual([])
    await gateway.stop()
    first.stop()
    second.stop()
  })
  return started
}

async function start({ engine = 'sqlite', more = '', timing = {} }: Options): Promise<VideoGateway> {
  const first = await startScriptedVideo()
  const second = await startScriptedVideo()
  const config = configForVideos(first, second, more)
  return { gateway: await startGateway({ engine, config, taskTiming: { ...UNDISTURBED, ...timing } }), first, second }
}

/** An account with a key, and a client with it. */
export async function newVideoClient(gateway: Gateway, credit = '10') {
  const account = await newKey(gateway, credit)
  return { ...account, ...videoClient(gateway, account.secret) }
}

const PRICE = 'price: { per_second: 0.05, variants: { "1080p": 0.12 }, tiers: { flex: 0.5 } }'
const LIMITS =
  'limits: { seconds: [4, 12], default_seconds: 5, resolutions: [720p, 1080p], default_resolution: 720p, ratios: ["16:9", "1:1"], images: 4 }'
/** Long enough for a pause of the machine, so that only upstreams that never respond reach them. */
const TIMEOUTS = 'timeouts: { first_byte: 3s, idle: 3s }'

/**
 * `vid` at the first upstream, `two` at both, `late` at one that cannot be reached and then at the second, `brief` with a deadline
 * of two seconds, `guarded` without `allow_private`.
 */
export function configForVideos(first: { baseUrl: string }, second: { baseUrl: string }, more = ''): string {
  const upstream = (id: string, { baseUrl }: { baseUrl: string }, settings = `allow_private: true, ${TIMEOUTS}`) =>
    `  - { id: ${id}, dialect: video-tasks, base_url: "${baseUrl}", keys: [key], breaker: false, ${settings} }`
  const model = (id: string, ...upstreams: string[]) => {
    const routes = upstreams.map((name, index) => `{ upstream: ${name}, model: inner, priority: ${index + 1} }`)
    return `  - { id: ${id}, type: video, routes: [${routes.join(', ')}], ${PRICE}, ${LIMITS} }`
  }
  return `${more}
sandbox: { faults: true }
upstreams:
${upstream('first', first)}
${upstream('second', second)}
${upstream('dead', { baseUrl: 'http://127.0.0.1:1/api/v3' })}
${upstream('brief', first, 'allow_private: true, timeouts: { first_byte: 1s, idle: 1s, total: 2s }')}
${upstream('guarded', first, TIMEOUTS)}
models:
${model('vid', 'first')}
${model('two', 'first', 'second')}
${model('late', 'dead', 'second')}
${model('gone', 'dead')}
${model('brief', 'brief')}
${model('guarded', 'guarded')}
`
}
