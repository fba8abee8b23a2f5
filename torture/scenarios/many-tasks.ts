// Thousands of open video tasks on two nodes: each is queried in time, and by one node at a time.
import { readFileSync } from 'node:fs'
import type { Gateway } from '../../test/support/gateway/gateway.ts'
import { videoBody, videoClient } from '../../test/support/requests/videos.ts'
import { checkAudit } from '../check-ledger.ts'
import { openFindings, type Scenario, settledWithin, type Torture } from '../scenario.ts'
import { newWallet, rowsOf, startGateways } from '../setup.ts'
import { SIZES } from '../sizes.ts'
import { startMeasuringUpstream } from '../video-upstream.ts'
import { configForFilms } from './crashes/crash-videos.ts'

const CLIENTS = 16
const CREDIT = '10000'
/** All have ended after the longest interval, and some more for a busy machine. */
const ENDED_WITHIN_MS = 90_000

export const manyTasks: Scenario = { name: 'many-tasks', title: 'open video tasks on two nodes', run }

async function run(torture: Torture): Promise<string> {
  const { findings, say } = torture
  const { openTasks, openTasksMs } = SIZES[torture.size]
  const films = startMeasuringUpstream()
  const gateways = await startGateways('postgres', 2, configForFilms(films.baseUrl))
  const [first, second] = gateways
  if (!first || !second) throw new Error('two gateways are needed')
  try {
    const wallet = await newWallet(first, CREDIT)
    let left: number = openTasks
    const began = performance.now()
    const submit = async ({ url }: Gateway): Promise<void> => {
      const client = videoClient({ url }, wallet.secrets[0] ?? '')
      while (left-- > 0) await client.submit(videoBody('vid'))
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, each) => submit(each % 2 === 0 ? first : second)))
    say(`  ${films.tasks()} tasks submitted in ${seconds(performance.now() - began)} s; ${latest(films)}`)
    const before = gateways.map(cpuMs)
    const [since, queried] = [performance.now(), films.queries()]
    await Bun.sleep(openTasksMs)
    const shares = gateways.map((gateway, each) => (cpuMs(gateway) - (before[each] ?? 0)) / (performance.now() - since))
    const line = `${films.tasks()} open tasks, ${films.queries() - queried} queries in ${seconds(openTasksMs)} s, ${latest(films)}, CPU ${shares.map((share) => `${Math.round(share * 100)} %`).join(' and ')}`
    findings.must(films.overlaps() === 0, `${films.overlaps()} queries of a task that was being queried`)
    findings.must(films.latest().intervals <= 2, `a task was queried late: ${latest(films)}`)
    films.status = 'failed'
    const look = async () => {
      const found = openFindings()
      const rows = await rowsOf(first, wallet)
      const open = rows.filter(({ outcome, cost_usd }) => outcome !== 'failed' || cost_usd !== '0.00').length
      found.must(rows.length === openTasks && open === 0, `${open} of ${rows.length} tasks have not failed`)
      await checkAudit(first, found, true)
      return found
    }
    await settledWithin(ENDED_WITHIN_MS, look, findings)
    return line
  } finally {
    for (const gateway of gateways) await gateway.stop()
    await films.stop()
  }
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1)

function latest(films: { latest(): { intervals: number; lateMs: number } }): string {
  const { intervals, lateMs } = films.latest()
  return `at most ${intervals.toFixed(2)} intervals between two queries, ${Math.round(lateMs)} ms late`
}

/** User and system time of the process so far. */
function cpuMs({ pid }: Gateway): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
