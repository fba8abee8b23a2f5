// kill -9 at random moments of video tasks: each ends once, as its upstream says, charged or released once; no submit is sent twice.
import type { Row } from '../../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../../test/support/gateway/gateway.ts'
import { newHome } from '../../../test/support/gateway/home.ts'
import { QUICK } from '../../../test/support/gateway/video-gateway.ts'
import { type ShownTask, videoBody, videoClient } from '../../../test/support/requests/videos.ts'
import {
  type DownloadMode,
  doubledSubmits,
  type ScriptedVideo,
  type State,
  type SubmitStep,
  startScriptedVideo,
} from '../../../test/support/upstreams/scripted-video.ts'
import type { Random } from '../../../tools/simulation/random.ts'
import { checkAudit, nanos } from '../../check-ledger.ts'
import { sweepAll } from '../../check-media.ts'
import { type Findings, openFindings, type Scenario, settledWithin, type Torture } from '../../scenario.ts'
import { accountOf, auditOf, newWallet, rowsOf, type Wallet } from '../../setup.ts'
import { SIZES } from '../../sizes.ts'

const CLIENTS = 3
const TASKS_EACH = 4
const LONGEST_MS = 700
const ENDED_WITHIN_MS = 30_000
const PRICE = 250_000_000n
const CREDIT = '10000'

/** The states of a task at the upstream, query by query. */
const STATES: readonly State[][] = [
  ['succeeded'],
  ['queued', 'succeeded'],
  ['queued', 'running', 'running', 'succeeded'],
  ['running', 'failed'],
  ['queued', 'cancelled'],
]
const SUBMITS: readonly SubmitStep[] = [
  ...(['accept', 'accept', 'accept', 'accept', 'accept-hang', 'accept-hang', 'accept-cut', 'cut'] as const),
  { status: 429 },
]
const DOWNLOADS: readonly DownloadMode[] = ['works', 'works', 'slow', 'short', { status: 503 }]

export const configForFilms = (baseUrl: string): string => `
upstreams:
  - { id: films, dialect: video-tasks, base_url: "${baseUrl}", keys: [any], breaker: false, allow_private: true, timeouts: { first_byte: 1s } }
models:
  - { id: vid, type: video, routes: [{ upstream: films, model: film }], price: { per_second: 0.05 }, limits: { seconds: [4, 12], default_seconds: 5 } }
`

export const crashVideos: Scenario = { name: 'crash-videos', title: 'kill -9 at random moments of video tasks', run }

async function run(torture: Torture): Promise<string> {
  const { random, findings, say } = torture
  const kills = torture.rounds ?? SIZES[torture.size].videoKills
  const films = await startScriptedVideo()
  vary(films, random)
  const home = await newHome('sqlite', configForFilms(films.baseUrl))
  let gateway = await startGateway({ home, taskTiming: QUICK })
  const wallet = await newWallet(gateway, CREDIT)
  const accepted: string[] = []
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const load = Array.from({ length: CLIENTS }, () => submitSome(gateway, wallet, random, accepted))
      await Bun.sleep(random.between(0, LONGEST_MS))
      await gateway.kill()
      await Promise.all(load)
      gateway = await startGateway({ home, taskTiming: QUICK })
      await checkAudit(gateway, findings, false)
      if (kill % 10 === 0 || kill === kills) say(`  ${kill} of ${kills} kills, ${films.tasks.size} tasks`)
      if (findings.all.length > 0) break
    }
    const last = gateway
    await settledWithin(ENDED_WITHIN_MS, () => compareAll(last, wallet, films, accepted), findings)
    await checkDownloads(last, wallet, films, findings)
    await gateway.kill()
    const left = await sweepAll(home, findings)
    return `${kills} kills, ${accepted.length} answered submits, ${films.tasks.size} tasks at the upstream, ${left} files kept`
  } finally {
    await gateway.stop()
    films.stop()
  }
}

/** Every task, submit and download goes another way. */
export function vary({ script }: ScriptedVideo, random: Random): void {
  const pick = <T>(from: readonly T[]): T => from[random.below(from.length)] as T
  Object.defineProperties(script, {
    states: { get: () => pick(STATES) },
    submit: { get: () => pick(SUBMITS) },
    download: { get: () => pick(DOWNLOADS) },
  })
  script.slowMs = 30
}

/** Some tasks, until the gateway dies. */
export async function submitSome(
  gateway: Gateway,
  { secrets }: Wallet,
  random: Random,
  accepted: string[],
): Promise<void> {
  const client = videoClient(gateway, secrets[0] ?? '')
  for (let each = 0; each < TASKS_EACH; each++) {
    await Bun.sleep(random.below(LONGEST_MS / TASKS_EACH))
    const id = await client.submit(videoBody('vid')).catch(() => undefined)
    if (id !== undefined) accepted.push(id)
  }
}

const STATUS_BY_OUTCOME: Readonly<Record<string, string>> = {
  completed: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
}
const requestOf = (task: string): string => task.replace('cgt-', 'req_')

/** Compares the tasks at the upstream, those that clients see, and the ledger. */
export async function compareAll(
  gateway: Gateway,
  wallet: Wallet,
  films: ScriptedVideo,
  accepted: readonly string[],
): Promise<Findings> {
  const found = openFindings()
  const rows = new Map<string, Row>()
  for (const row of await rowsOf(gateway, wallet)) {
    found.must(!rows.has(row.request_id), `${row.request_id} is in the ledger twice`)
    rows.set(row.request_id, row)
  }
  const tasks = await tasksOf(gateway, wallet)
  for (const { id, status } of tasks.values()) {
    const row = rows.get(requestOf(id))
    found.must(row !== undefined, `${id} (${status}) is not in the ledger`)
    found.must(
      row !== undefined && STATUS_BY_OUTCOME[row.outcome] === status,
      `${id} is ${status}, and in the ledger ${row?.outcome}`,
    )
  }
  for (const id of accepted) found.must(tasks.has(id), `${id} was accepted, and there is no such task`)
  for (const { reference = '', states } of films.tasks.values()) {
    const due = states.at(-1)
    const row = rows.get(requestOf(reference))
    found.must(
      row !== undefined && STATUS_BY_OUTCOME[row.outcome] === due,
      `${reference}: ${due} at the upstream, ${row?.outcome} in the ledger`,
    )
  }
  let spent = 0n
  for (const { request_id, outcome, cost_usd } of rows.values()) {
    const due = outcome === 'completed' ? PRICE : 0n
    spent += nanos(cost_usd)
    found.must(nanos(cost_usd) === due, `${request_id} (${outcome}): charged ${cost_usd}`)
  }
  const { balance_usd, held_usd } = await accountOf(gateway, wallet)
  found.must(nanos(held_usd) === 0n, `${held_usd} still held`)
  found.must(
    nanos(balance_usd) === nanos(CREDIT) - spent,
    `${balance_usd} left, the rows say ${spent} nano-USD are spent`,
  )
  const doubled = doubledSubmits(films)
  found.must(doubled.length === 0, `submitted twice: ${doubled.join(', ')}`)
  const audit = await auditOf(gateway)
  found.must(audit.ok && audit.open_holds === 0, `audit: ${JSON.stringify(audit)}`)
  return found
}

const PAGE = 500

async function tasksOf(gateway: Gateway, { secrets }: Wallet): Promise<Map<string, ShownTask>> {
  const client = videoClient(gateway, secrets[0] ?? '')
  const all = new Map<string, ShownTask>()
  for (let page = 1; ; page++) {
    const response = await client.list(`?page_num=${page}&page_size=${PAGE}`)
    const { items } = (await response.json()) as { items: ShownTask[] }
    for (const task of items) all.set(task.id, task)
    if (items.length < PAGE) return all
  }
}

/** What a task shows can be downloaded. */
async function checkDownloads(
  gateway: Gateway,
  wallet: Wallet,
  { script }: ScriptedVideo,
  findings: Findings,
): Promise<void> {
  const made = [...(await tasksOf(gateway, wallet)).values()].filter(({ status }) => status === 'succeeded')
  for (const { id, content } of made.slice(0, 50)) {
    const url = content?.video_url
    const bytes = url === undefined ? undefined : await (await fetch(url)).bytes()
    findings.must(
      bytes !== undefined && script.video.equals(bytes),
      `${id} succeeded, and its video cannot be downloaded`,
    )
  }
}
