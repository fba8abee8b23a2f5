// `npm test` and `npm run test:all`: runs Bun's tests, and shows how many files are done, failures as they come, and a summary. The last
// line, `N passed, N failed`, is for programs. With arguments (files, folders, options of `bun test`), Bun's own output is shown too.
import { join } from 'node:path'
import { ENDED, type Failure, openDigest, type Totals } from './digest.ts'
import { alone, type Pass, passesOf } from './passes.ts'

const ROOT = join(import.meta.dir, '../..')
/** Makes what many files need. */
const PREPARE = 'test/support/prepare.ts'
/** How often a line of progress appears where the output is not a terminal. */
const PROGRESS_MS = 15_000
/**
 * A file that failed runs once more, alone: on a machine that stands still at times, a server's own time limit may pass beside five other
 * files. What passes then is listed as unsteady, with the reason of its failure above. More files than this fail for a cause of their own.
 */
const MOST_AGAIN = 4

const [suite, ...args] = process.argv.slice(2)
const isVerbose = args.length > 0
const passes = passesOf(suite === 'all', args)
const total = passes.reduce((sum, { files = [] }) => sum + files.length, 0)
const began = performance.now()
const shown = { files: 0, failures: 0 }
const failures: Failure[] = []
let passed = 0
let notRun = 0

const seconds = () => Math.round((performance.now() - began) / 1_000)
const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

function progress(): string {
  return `${shown.files} of ${total} files, ${count(shown.failures, 'failure')}, ${seconds()} s`
}

/** Above the line of progress, which a terminal shows once. */
function print(text: string): void {
  if (isVerbose) return
  process.stdout.write(`${process.stdout.isTTY ? '\r\x1b[K' : ''}${text}\n`)
}

function showProgress(): void {
  if (!isVerbose) process.stdout.write(process.stdout.isTTY ? `\r\x1b[K${progress()}` : `${progress()}\n`)
}

function showFailure({ file, name, reason }: Failure): void {
  shown.failures += 1
  print(`\nFAILED ${file}: ${name}\n${reason.replace(/^(?=.)/gm, '    ')}\n`)
}

async function linesOf(stream: ReadableStream<Uint8Array>, each: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) each(line)
  }
  if (rest !== '') each(rest)
}

async function runPass({ args: command, files = [] }: Pass): Promise<Totals> {
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const digest = openDigest({
    fileEnded() {
      if (shown.files < total) shown.files += 1
      if (process.stdout.isTTY) showProgress()
    },
    failed: showFailure,
  })
  const echo = (stream: NodeJS.WriteStream, isDigested: boolean) => (line: string) => {
    if (isVerbose && !line.startsWith(ENDED)) stream.write(`${line}\n`)
    if (isDigested) digest.line(line)
  }
  // Results are on stderr; without --parallel, what a test prints is on stdout.
  await Promise.all([
    linesOf(child.stdout, echo(process.stdout, false)),
    linesOf(child.stderr, echo(process.stderr, true)),
    child.exited,
  ])
  const how = String(child.signalCode ?? `exit code ${child.exitCode}`)
  const totals = digest.end(how)
  const more = [
    ...files.filter((file) => !totals.files.has(file)).map((file) => ({ file, name: 'did not run', reason: '' })),
    ...(child.exitCode !== 0 && totals.failures.length === 0
      ? [{ file: '', name: `bun test failed (${how})`, reason: '' }]
      : []),
  ]
  more.forEach(showFailure)
  return { ...totals, failures: [...totals.failures, ...more] }
}

/** The failures that stay, and those whose file passes alone. */
async function runAgain(): Promise<{ lasting: Failure[]; unsteady: Failure[] }> {
  const files = [...new Set(failures.map(({ file }) => file))]
  if (isVerbose || files.length > MOST_AGAIN || files.includes('')) return { lasting: failures, unsteady: [] }
  const steady = new Set<string>()
  for (const file of files) {
    print(`Once more, alone: ${file}`)
    const totals = await runPass(alone(file))
    if (totals.failures.length === 0) steady.add(file)
  }
  return {
    lasting: failures.filter(({ file }) => !steady.has(file)),
    unsteady: failures.filter(({ file }) => steady.has(file)),
  }
}

/** The time that the prepared things take is not part of the first files. */
async function prepare(): Promise<void> {
  const child = Bun.spawn([process.execPath, PREPARE], {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if ((await child.exited) === 0) return
  const failure = { file: PREPARE, name: 'failed, so no test ran', reason: '' }
  showFailure(failure)
  finish([failure])
}

function finish(all: readonly Failure[], unsteady: readonly Failure[] = []): never {
  if (!isVerbose) {
    print(`\n${shown.files} of ${total} files in ${seconds()} s`)
    for (const { file, name } of unsteady) print(`UNSTEADY ${file}: ${name} (failed beside other files, passed alone)`)
    for (const { file, name } of all) print(`FAILED ${file}: ${name}`)
  }
  if (notRun > 0) process.stdout.write(`${count(notRun, 'test')} did not run, since the gateway had ended\n`)
  process.stdout.write(`${passed} passed, ${all.length} failed\n`)
  process.exit(all.length > 0 || passed === 0 ? 1 : 0)
}

const timer = isVerbose || process.stdout.isTTY ? undefined : setInterval(showProgress, PROGRESS_MS)
if (!isVerbose) {
  print(`Preparing ${total} files: a gateway, the console, a browser...`)
  await prepare()
}
for (const pass of passes) {
  const totals = await runPass(pass)
  passed += totals.passed
  notRun += totals.notRun
  failures.push(...totals.failures)
}
const { lasting, unsteady } = await runAgain()
passed += unsteady.length
clearInterval(timer)
finish(lasting, unsteady)
