// `npm run bench`: what the gateway costs, measured beside a bare proxy and nginx in one run. All traffic stays on this
// machine and is bounded by counts. A bench is not a test: a target that is missed is shown as "over", not as a failure.
//
//   npm run bench -- --only 1,3     these scenarios        --rounds N     how many rounds (5)
//   npm run bench -- --quick        shorter and less exact --beside FOLDER  also the gateway of another checkout
//   npm run bench -- --peers        other gateways of this machine instead, beside this one
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Finished, render, writeInto } from './harness/report.ts'
import type { BenchOptions, Scenario } from './harness/scenario.ts'
import { nginxVersion } from './harness/servers.ts'
import { comparePeers } from './peers/compare.ts'
import { adminLists } from './scenarios/admin-lists.ts'
import { chain } from './scenarios/chain.ts'
import { operatorTabs } from './scenarios/console/operator-tabs.ts'
import { consolePages } from './scenarios/console/pages.ts'
import { manyEmbeddings, oneEmbedding } from './scenarios/embeddings.ts'
import { httpsJson } from './scenarios/https.ts'
import { largeJson, smallJson } from './scenarios/json.ts'
import { manyStreams } from './scenarios/many-streams.ts'
import { openStreams, stalledReaders } from './scenarios/memory.ts'
import { metricsCost } from './scenarios/metrics.ts'
import { signing } from './scenarios/signing.ts'
import { start } from './scenarios/start.ts'
import { storedKeys } from './scenarios/stored-keys.ts'
import { httpsStreams, streams } from './scenarios/stream.ts'
import { traced } from './scenarios/traced.ts'
import { translatedJson, translatedLong, translatedStreams } from './scenarios/translated.ts'
import { vastStore } from './scenarios/vast-store.ts'

const SCENARIOS: readonly Scenario[] = [
  smallJson,
  largeJson,
  streams,
  openStreams,
  stalledReaders,
  start,
  storedKeys,
  translatedJson,
  translatedStreams,
  translatedLong,
  httpsJson,
  httpsStreams,
  chain,
  consolePages,
  metricsCost,
  traced,
  adminLists,
  operatorTabs,
  oneEmbedding,
  manyEmbeddings,
  manyStreams,
  vastStore,
  signing,
]
const REPORT = join(import.meta.dir, '../docs/decisions/measured-performance.md')

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    beside: { type: 'string' },
    quick: { type: 'boolean' },
    peers: { type: 'boolean' },
    rounds: { type: 'string', default: '5' },
  },
})
const rounds = Number(values.rounds)
const wanted = values.only?.split(',').map(Number) ?? SCENARIOS.map(({ number }) => number)
if (!Number.isInteger(rounds) || rounds < 1) stop('--rounds takes a whole number from 1')
for (const number of wanted) if (!SCENARIOS.some((each) => each.number === number)) stop(`no scenario ${number}`)

function stop(why: string): never {
  console.error(`bench: ${why}`)
  process.exit(1)
}

const options: BenchOptions = {
  rounds,
  quick: values.quick === true,
  say: (line) => console.error(line),
  beside: values.beside && resolve(values.beside),
}
if (values.peers) {
  console.log(await comparePeers({ rounds, say: options.say, only: values.only?.split(',').map(Number) }))
  process.exit(0)
}
if (!nginxVersion()) options.say('nginx is not installed: skipped')
const finished: Finished[] = []
for (const scenario of SCENARIOS.filter(({ number }) => wanted.includes(number))) {
  options.say(`${scenario.number}. ${scenario.title}`)
  finished.push({ scenario, outcome: await scenario.run(options) })
}
const text = render(finished, rounds)
console.log(text)
if (values.only === undefined && values.beside === undefined && !options.quick) {
  writeInto(REPORT, text)
  options.say(`written to ${REPORT}`)
} else options.say('a part of the bench, or a quick one: docs/decisions/measured-performance.md is left as it is')
