// `npm run faults`: everything that an upstream may do wrong, in each dialect, streamed and not. All of it stays on this
// machine.
//
//   npm run faults -- --only reset,gzip-bomb     faults whose name begins so       --size small     as in the tests
import { parseArgs } from 'node:util'
import { megabytes, startFaultRunner } from './suite.ts'
import { FAULTS } from './table.ts'

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { only: text, size: text } })
const wanted = values.only?.split(',') ?? ['']
for (const word of wanted) if (!FAULTS.some(({ name }) => name.startsWith(word))) stop(`no fault begins with ${word}`)
if (values.size !== undefined && values.size !== 'small' && values.size !== 'full') stop('--size takes small or full')

function stop(why: string): never {
  console.error(`faults: ${why}`)
  process.exit(1)
}

const faults = FAULTS.filter(({ name }) => wanted.some((word) => name.startsWith(word)))
const say = (line: string) => console.log(line)
const size = values.size ?? 'full'
const secondsSince = (began: number) => ((performance.now() - began) / 1_000).toFixed(1)
const began = performance.now()
let violations = 0
const stage = await startFaultRunner(faults, size, say)
for (const [index, fault] of faults.entries()) {
  const from = performance.now()
  const { calls, growth, findings } = await stage.run(fault)
  const word = findings.all.length === 0 ? 'ok' : 'FAILED'
  say(
    `${index + 1}/${faults.length} ${word} ${fault.name}: ${calls} calls, ${secondsSince(from)} s, ${megabytes(growth)}`,
  )
  violations += findings.all.length
}
violations += (await stage.close()).all.length
const result = violations === 0 ? 'all as it should be' : `${violations} violations`
say(`${faults.length} faults in ${secondsSince(began)} s: ${result}`)
process.exit(violations === 0 ? 0 : 1)
