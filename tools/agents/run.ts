// `npm run agents`: Claude Code, Codex and the Gemini CLI each write a file and read it back with their own tools, through a
// gateway, over upstreams of all four dialects. Fetches the agents from npm into a temporary folder (900 MB) and removes it.
//
//   npm run agents -- --only codex,gemini     agents whose name begins so       --over chat,messages     these upstreams
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { CLIENTS, snippetFor } from '../../packages/console/src/snippets/clients/index.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { startGateway } from '../../test/support/gateway/gateway.ts'
import { configOfDialects } from '../../test/support/upstreams/recorded-upstream.ts'
import { AGENTS, type Agent, type Call, type Setup } from './agents.ts'
import { startScriptedUpstream } from './scripted-upstream.ts'

const INSTALL_WITHIN_MS = 10 * 60_000
const RUN_WITHIN_MS = 2 * 60_000
const SHOWN_CHARACTERS = 2_000

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { only: text, over: text } })
const agents = Object.entries(AGENTS).filter(
  ([name]) => values.only?.split(',').some((word) => name.startsWith(word)) ?? true,
)
const dialects = TEXT_DIALECT_IDS.filter((id) => values.over?.split(',').includes(id) ?? true)
if (agents.length === 0) fail(`no agent begins with ${values.only}; there are: ${Object.keys(AGENTS).join(', ')}`)
if (dialects.length === 0) fail(`there is no dialect ${values.over}; there are: ${TEXT_DIALECT_IDS.join(', ')}`)

function fail(why: string): never {
  console.error(`agents: ${why}`)
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'trivium-agents-'))
const running = new Set<Bun.Subprocess>()
/** An agent may leave processes of its own behind: each has a process group, which ends with it. */
function endGroup({ pid }: Bun.Subprocess): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has no process left.
  }
}
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(signal, () => process.exit(code))
process.on('exit', () => {
  for (const child of running) endGroup(child)
  rmSync(folder, { recursive: true, force: true })
})

type Ended = { code: number | undefined; output: string; errors: string }

async function run(
  command: string[],
  options: { cwd: string; env: Record<string, string | undefined> },
  withinMs: number,
) {
  const child = Bun.spawn(command, { ...options, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', detached: true })
  running.add(child)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    endGroup(child)
  }, withinMs)
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  clearTimeout(timer)
  endGroup(child)
  running.delete(child)
  const ended: Ended = { code: isLate ? undefined : code, output, errors }
  return ended
}

const directive = ({ name, input }: Call) => `call ${name} with ${JSON.stringify(input)}`

/** What the console and the documentation tell a reader to write and to export. */
function snippetOf(name: string, { dialect }: Agent, { url, key, model, prompt }: Setup) {
  const client = CLIENTS.find(({ id }) => id === name)
  if (!client) fail(`the console has no snippet for ${name}`)
  const { parts } = snippetFor({ client, protocol: dialect, model, baseUrl: url, secret: key, prompt })
  const exports = parts.flatMap((part) => ('code' in part ? [...part.code.matchAll(/^export (\w+)=(.+)$/gm)] : []))
  return {
    files: parts.flatMap((part) => (part.kind === 'file' ? [part] : [])),
    environment: Object.fromEntries(exports.map(([, variable, value]) => [variable, value])),
  }
}

/** What is wrong; empty if nothing is. */
async function attempt(name: string, agent: Agent, dialect: TextDialectId): Promise<string[]> {
  const home = join(folder, `${name}-${dialect}`)
  const work = join(home, 'work')
  const temporary = join(home, 'tmp')
  const note = join(work, 'note.txt')
  const word = `tide-${crypto.randomUUID()}`
  const prompt = `Please put ${word} into note.txt. Tell me what the file says afterwards.`
  const setup = { url: gateway.url, key: secret, model: `over-${dialect}`, prompt }
  for (const path of [work, temporary]) mkdirSync(path, { recursive: true })
  const { files, environment } = snippetOf(name, agent, setup)
  for (const { path, code } of files) {
    const place = path.replace('~', home)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, code)
  }
  const directives = [agent.write(note, word), agent.read(note)].map(directive)
  const task = { dialect, directives, seen: [] as number[], errors: [] as string[] }
  upstream.tasks.set(word, task)
  const script = join(folder, 'node_modules', agent.package, agent.script)
  // Nothing of this environment: keys and settings of the developer's own agents must not be used.
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: temporary,
    TERM: 'dumb',
    NO_COLOR: '1',
    ...environment,
    ...agent.environment,
  }
  const { code, output, errors } = await run(
    ['node', script, ...agent.arguments(setup)],
    { cwd: work, env },
    RUN_WITHIN_MS,
  )
  const findings = [...task.errors]
  if (code !== 0) findings.push(code === undefined ? `not done in ${RUN_WITHIN_MS / 1_000} s` : `exit code ${code}`)
  if (contentsOf(note) !== word) findings.push('the file was not written')
  if (!new RegExp(`The tool \\S+ returned:[^]*${word}`).test(output))
    findings.push('the answer lacks what the file says')
  for (const results of [0, 1, 2]) {
    if (!task.seen.includes(results)) findings.push(`the upstream got no request with ${results} tool results`)
  }
  if (findings.length > 0) findings.push(`stdout: ${last(output)}`, `stderr: ${last(errors)}`)
  return findings
}

const last = (output: string) => output.trim().slice(-SHOWN_CHARACTERS)

function contentsOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

async function install(): Promise<void> {
  const packages = agents.map(([, agent]) => `${agent.package}@${agent.version}`)
  console.log(`fetching ${packages.join(', ')}`)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const command = ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...packages]
  const { code, errors } = await run(command, { cwd: folder, env: process.env }, INSTALL_WITHIN_MS)
  if (code !== 0) fail(`npm could not fetch the agents: ${last(errors)}`)
}

await install()
const upstream = startScriptedUpstream()
const gateway = await startGateway({ config: configOfDialects(upstream.origin, 'sandbox-text') })
process.on('exit', () => rmSync(gateway.home.dataDir, { recursive: true, force: true }))
const { secret } = await newKey(gateway, '1000')

/** By agent, one word for each upstream. */
const table: Record<string, Record<string, string>> = {}
let failures = 0
await Promise.all(
  agents.map(async ([name, agent]) => {
    const row: Record<string, string> = {}
    table[`${name} ${agent.version} (${agent.dialect})`] = row
    for (const dialect of dialects) {
      const began = performance.now()
      const findings = await attempt(name, agent, dialect)
      row[dialect] = findings.length === 0 ? 'pass' : 'FAIL'
      const seconds = ((performance.now() - began) / 1_000).toFixed(1)
      console.log([`${row[dialect]} ${name} over ${dialect}, ${seconds} s`, ...findings].join('\n  '))
      if (findings.length > 0) failures++
    }
  }),
)
await gateway.stop()
upstream.stop()
console.table(table)
process.exit(failures === 0 ? 0 : 1)
