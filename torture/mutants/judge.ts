// Who notices a mutant. Of the ledger's most are noticed by a few histories of the simulation, in processes that try many; what those
// leave is for the tests, and what they leave for all of the simulation.
import { join } from 'node:path'
import { type Copies, ROOT } from './files.ts'
import type { Mutant } from './mutant.ts'

const HERE = join(ROOT, 'torture/mutants')
/** A mutant may never come to an end. */
const LONGEST_TRIAL_MS = { few: 20_000, all: 60_000 }
const LONGEST_TESTS_MS = 30_000

type Judge = { tests: readonly string[]; bySimulation: boolean }

const inMoney = (files: string) => [...new Bun.Glob(`packages/gateway/src/money/${files}`).scanSync(ROOT)]
/** Without those of all numbers: they are slow, and may find a mutant in one run and not in the next. */
const PRICES: Judge = {
  tests: inMoney('prices/*.test.ts').filter((file) => !file.endsWith('.properties.test.ts')),
  bySimulation: false,
}
const SHOWN: Judge = { tests: [...inMoney('*.test.ts'), ...inMoney('budgets/*.test.ts')], bySimulation: false }
const LEDGER: Judge = { ...SHOWN, bySimulation: true }

const judgeOf = ({ file }: Mutant): Judge => {
  if (file.startsWith('prices/')) return PRICES
  return /^(amount|json|request-ids)\.ts$/.test(file) ? SHOWN : LEDGER
}

export type Verdict = { mutant: Mutant; isKilled: boolean }

/** One after the other, so that a machine with other work stays usable. */
export async function* judge(copies: Copies, mutants: readonly Mutant[]): AsyncGenerator<Verdict> {
  // Otherwise every mutant would seem to be noticed.
  for (const tests of new Set(mutants.map((mutant) => judgeOf(mutant).tests)))
    if (await fails(copies, NONE, tests)) throw new Error(`${tests.join(' ')} fail without a mutant`)
  const simulated = mutants.filter((mutant) => judgeOf(mutant).bySimulation && !mutant.isStatic)
  const forTests = mutants.filter((mutant) => !simulated.includes(mutant))
  for await (const verdict of tryAll(copies, simulated, 'few'))
    if (verdict.isKilled) yield verdict
    else forTests.push(verdict.mutant)
  const left: Mutant[] = []
  for (const mutant of forTests) {
    const isKilled = await fails(copies, mutant, judgeOf(mutant).tests)
    if (!isKilled && simulated.includes(mutant)) left.push(mutant)
    else yield { mutant, isKilled }
  }
  yield* tryAll(copies, left, 'all')
}

const NONE: Mutant = { id: 0, file: '', line: 0, within: '', code: '', what: 'none', isStatic: false }

/** A process that hangs or dies at a mutant has noticed it; another one goes on with the next. */
async function* tryAll(copies: Copies, mutants: readonly Mutant[], histories: 'few' | 'all'): AsyncGenerator<Verdict> {
  if (mutants.length === 0) return
  let left = [NONE, ...mutants]
  while (left.length > 0) {
    const ids = left.map(({ id }) => id).join()
    const trial = start(
      copies,
      ['--preload', join(HERE, 'load.ts'), join(HERE, 'trial.ts'), histories, ids],
      0,
      LONGEST_TRIAL_MS[histories],
    )
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

async function fails(copies: Copies, mutant: Mutant, tests: readonly string[]): Promise<boolean> {
  const options = ['--bail', '--timeout', '60000', '--preload', join(HERE, 'load.ts')]
  return (await start(copies, ['test', ...options, ...tests], mutant.id, LONGEST_TESTS_MS, 'ignore').ended) !== 0
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
