// What the pages of the console cost an account with much data, on both engines, and how soon the first one can be used.
import { ENGINES, type Engine } from '../../../test/support/gateway/home.ts'
import { median } from '../../harness/measure.ts'
import {
  type BenchOptions,
  megabytes,
  millis,
  type Outcome,
  type Scenario,
  type Verdict,
  verdict,
} from '../../harness/scenario.ts'
import { DAYS, openFilled, SIZES } from './account.ts'
import { type PageCall, pageCalls } from './calls.ts'
import { type FirstPage, openFirstPage } from './first-page.ts'
import { type CallCost, costOf, type ExportCost, exportCostOf } from './measure-calls.ts'

const CALLS_PER_ROUND = 10
const MOST_CPU_MS = 50
const LONGEST_WAIT_MS = 50
const MOST_MEMORY = 50e6
const FIRST_PAGE_MS = 1_000
const MOST_SCRIPT_BYTES = 300e3

type Measured = { call: PageCall; cost: CallCost | ExportCost }
type OfEngine = { engine: Engine; measured: Measured[]; first: FirstPage | undefined }

const { keys, requests } = SIZES.full

export const consolePages: Scenario = {
  number: 14,
  title: `Console of an account with ${keys.toLocaleString('en')} keys and ${requests.toLocaleString('en')} requests in ${DAYS} days`,
  async run(options) {
    const engines: OfEngine[] = []
    for (const engine of ENGINES) engines.push(await measure(engine, options))
    return outcomeOf(engines)
  },
}

async function measure(engine: Engine, { rounds, quick, say }: BenchOptions): Promise<OfEngine> {
  const began = performance.now()
  const filled = await openFilled(engine, quick ? 'quick' : 'full')
  say(`  ${engine}: filled in ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  try {
    const measured: Measured[] = []
    for (const call of await pageCalls(filled.client, DAYS)) {
      const cost = call.isExport
        ? await exportCostOf(filled, call, rounds)
        : await costOf(filled, call, rounds, CALLS_PER_ROUND)
      measured.push({ call, cost })
      say(`  ${engine}: ${call.name}: ${millis(cost.gateway / 1_000)}`)
    }
    // The page is the same on both engines.
    const first = engine === 'sqlite' ? await openFirstPage(filled, rounds) : undefined
    if (first) say(`  first page: ${first.milliseconds.map(millis).join(', ')}`)
    return { engine, measured, first }
  } finally {
    await filled.gateway.stop()
  }
}

function outcomeOf(engines: readonly OfEngine[]): Outcome {
  const costs = (name: string) => engines.map(({ measured }) => measured.find(({ call }) => call.name === name)?.cost)
  const rows = (engines[0]?.measured ?? []).map(({ call: { name } }) => {
    const [sqlite, postgres] = costs(name)
    return [name, cpu(sqlite?.gateway), cpu(postgres?.gateway), cpu(postgres?.database), kilobytes(sqlite?.bytes)]
  })
  return {
    columns: ['', 'CPU, SQLite', 'CPU, PostgreSQL', 'CPU of the database', 'answer'],
    rows,
    verdicts: [
      ...engines.flatMap(verdictsOf),
      ...engines.flatMap(({ first }) => (first ? firstPageVerdicts(first) : [])),
    ],
  }
}

const cpu = (micros = Number.NaN): string => `${(micros / 1_000).toFixed(1)} ms`
const kilobytes = (bytes = Number.NaN): string => `${(bytes / 1_000).toFixed(1)} KB`

function verdictsOf({ engine, measured }: OfEngine): Verdict[] {
  const pages = measured.filter(({ call }) => !call.isExport)
  const slowest = pages.reduce((one, other) => (other.cost.gateway > one.cost.gateway ? other : one))
  const files = measured.flatMap(({ call, cost }) => ('memory' in cost ? [{ call, cost }] : []))
  return [
    verdict(`console on ${engine}, most CPU: ${slowest.call.name}`, slowest.cost.gateway / 1_000, MOST_CPU_MS, millis),
    ...files.flatMap(({ call, cost }) => [
      verdict(`${call.name}, ${engine}: longest wait of others`, cost.longestWait, LONGEST_WAIT_MS, millis),
      verdict(`${call.name}, ${engine}: memory above that before`, cost.memory, MOST_MEMORY, megabytes),
    ]),
  ]
}

const firstPageVerdicts = ({ milliseconds, scriptBytes }: FirstPage): Verdict[] => [
  verdict('overview in a new browser, until a request can be clicked', median(milliseconds), FIRST_PAGE_MS, millis),
  verdict('scripts of the overview, compressed', scriptBytes, MOST_SCRIPT_BYTES, kilobytes),
]
