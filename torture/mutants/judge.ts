// Who notices a mutant: of the ledger's, first the simulation, in processes that try many; what it leaves, and all others, the tests.
import { join } from 'node:path'
import { type Copies, ROOT } from './files.ts'
import type { Mutant } from './mutant.ts'

const HERE = join(ROOT, 'torture/mutants')
/** A mutant may never come to an end. */
const LONGEST_TRIAL_MS = 60_000
const LONGEST_TESTS_MS = 120_000

/** `only`: the tests with these words in their names. */
type Tests = { files: readonly string[]; only?: string }
type Judge = { tests: readonly Tests[]; bySimulation: boolean }

const inMoney = (files: string) => [...new Bun.Glob(`packages/gateway/src/money/${files}`).scanSync(ROOT)]

const PRICES: Judge = {
  tests: [
    { files: inMoney('prices/*.test.ts') },
    {
      files: [
        'packages/gateway/src/text/billing',
        'packages/gateway/src/modalities',
        'packages/gateway/src/paid-call/receipts',
      ],
    },
  ],
  bySimulation: false,
}
const SHOWN: Judge = {
  tests: [
    { files: inMoney('**/*.test.ts') },
    { files: ['packages/gateway/src/upstreams/prices', 'packages/gateway/src/paid-call/receipts'] },
  ],
  bySimulation: false,
}
const LEDGER: Judge = {
  tests: [
    { files: inMoney('*.test.ts') },
    {
      files: ['packages/gateway/src/storage/sqlite/open-sqlite.test.ts'],
      only: 'verbs|repetitions|limits|caps|credit lines|terms of keys|nodes|leases|books|spending|operators',
    },
  ],
  bySimulation: true,
}

const judgeOf = ({ file }: Mutant): Judge => {
  if (file.startsWith('prices/')) return PRICES
  return /^(amount|json|request-ids)\.ts$/.test(file) ? SHOWN : LEDGER
}

export type Verdict = { mutant: Mutant; isKilled: boolean }

/** One after the other, so that a machine with other work stays usable. */
export async function* judge(copies: Copies, mutants: readonly Mutant[]): AsyncGenerator<Verdict> {
  const known = new Map<Tests, Promise<void>>()
  const simulated = mutants.filter((mutant) => judgeOf(mutant).bySimulation && !mutant.isStatic)
  const left = mutants.filter((mutant) => !simulated.includes(mutant))
  for await (const verdict of tryAll(copies, simulated))
    if (verdict.isKilled) yield verdict
    else left.push(verdict.mutant)
  for (const mutant of left) yield { mutant, isKilled: await failsTests(copies, mutant, known) }
}

const NONE: Mutant = { id: 0, file: '', line: 0, within: '', code: '', what: 'none', isStatic: false }

/** A process that hangs or dies at a mutant has noticed it; another one goes on with the next. */
async function* tryAll(copies: Copies, mutants: readonly Mutant[]): AsyncGenerator<Verdict> {
  if (mutants.length === 0) return
  let left = [NONE, ...mutants]
  while (left.length > 0) {
    const ids = left.map(({ id }) => id).join()
    const trial = start(copies, ['--preload', join(HERE, 'load.ts'), join(HERE, 'trial.ts'), ids], 0, LONGEST_TRIAL_MS)
    for await (const line of trial.lines) {
      const [mutant, ...rest] = left
      if (!mutant) break
      left = rest
      const verdict = { mutant, isKilled: !line.endsWith('survived') }
      if (mutant !== NONE) yield verdict
      else if (verdict.isKilled) throw new Error('the simulation fails without a mutant')
    }
    const [stuck, ...rest] = left
    if (!stuck) return
    if (stuck === NONE) throw new Error('the simulation ends without a mutant')
    left = rest
    yield { mutant: stuck, isKilled: true }
  }
}

async function failsTests(copies: Copies, mutant: Mutant, known: Map<Tests, Promise<void>>): Promise<boolean> {
  for (const tests of judgeOf(mutant).tests) {
    const must = known.get(tests) ?? mustPass(copies, tests)
    known.set(tests, must)
    await must
    if (await fails(copies, mutant, tests)) return true
  }
  return false
}

/** Otherwise every mutant would seem to be noticed. */
async function mustPass(copies: Copies, tests: Tests): Promise<void> {
  if (await fails(copies, NONE, tests)) throw new Error(`${tests.files.join(' ')} fail without a mutant`)
}

async function fails(copies: Copies, mutant: Mutant, { files, only }: Tests): Promise<boolean> {
  const options = ['--bail', '--timeout', '60000', '--preload', join(HERE, 'load.ts'), ...(only ? ['-t', only] : [])]
  return (await start(copies, ['test', ...options, ...files], mutant.id, LONGEST_TESTS_MS, 'ignore').ended) !== 0
}

type Output = 'pipe' | 'ignore'

function start({ folder }: Copies, args: readonly string[], mutant: number, quietMs: number, stdout: Output = 'pipe') {
  const env = { ...process.env, TRIVIUM_MUTANTS: folder, TRIVIUM_MUTANT: String(mutant) }
  const child = Bun.spawn([process.execPath, ...args], { cwd: ROOT, env, stdout, stderr: 'ignore', stdin: 'ignore' })
  const kill = () => child.kill('SIGKILL')
  let timer = setTimeout(kill, quietMs)
  async function* lines(): AsyncGenerator<string> {
    let text = ''
    for await (const piece of (child.stdout ?? new Blob().stream()).pipeThrough(new TextDecoderStream())) {
      clearTimeout(timer)
      timer = setTimeout(kill, quietMs)
      const [last = '', ...before] = (text + piece).split('\n').reverse()
      text = last
      yield* before.reverse()
    }
    clearTimeout(timer)
  }
  return { lines: lines(), ended: child.exited.finally(() => clearTimeout(timer)) }
}
