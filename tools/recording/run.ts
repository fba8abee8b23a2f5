// `npm run recording`: docs/images/tour.svg, from real commands in a clone of HEAD: the first `npm start`, the request that it proposes,
// Claude Code on the same key, kill -9, audit, the receipt. A reader can type all of it and needs no vendor. Fetches the
// dependencies and Claude Code from npm into a temporary folder; needs git, bash and curl.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { AGENTS } from '../agents/agents.ts'
import { type Line, renderScenes, type Scene } from './svg.ts'

const ROOT = join(import.meta.dir, '../..')
/** What the recording shows in place of the free port that it uses. */
const SHOWN_URL = 'http://127.0.0.1:3333'
const WITHIN_MS = 180_000
/** On a terminal each line of the progress replaces the one before. */
const REPLACED = /^Installing dependencies.*\n(?=Installing)/gm
/** The last line of what the first start prints. */
const SUMMARY_ENDS_WITH = /^ {4}-d '.*'$/m
const ACCOUNT = 'newcomer@trivium.local'

const folder = mkdtempSync(join(tmpdir(), 'trivium-recording-'))
const clone = join(folder, 'trivium')
const bin = join(folder, 'bin')
const home = join(folder, 'home')
for (const made of [bin, home]) mkdirSync(made)
/** Where the gateway listens. */
function freePort(): number {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port } = server
  void server.stop(true)
  return port ?? 0
}
const env = {
  PATH: [bin, process.env.PATH ?? ''].join(delimiter),
  HOME: home,
  PORT: String(freePort()),
  // A terminal gets the summary of the start as text.
  TRIVIUM_LOG_FORMAT: 'text',
  NO_COLOR: '1',
  TERM: 'dumb',
}
const url = `http://127.0.0.1:${env.PORT}`
/** What Claude Code needs here besides the settings that the recording shows. */
const AGENT_ENVIRONMENT = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', IS_SANDBOX: '1' }

/** Without secrets and the commit of the moment, and with the places that a reader would have. */
const hidden = (text: string): string =>
  text
    .replaceAll(url, SHOWN_URL)
    .replaceAll(/sk-[\w-]{8,}/g, 'sk-...')
    .replaceAll(/setup#[\w-]+/g, 'setup#...')
    .replaceAll(/-dev\+\w+/g, '-dev')
    .replaceAll(folder, '~')

const printed = (text: string): Line[] =>
  hidden(text)
    .trimEnd()
    .split('\n')
    .map((line) => ({ text: line, kind: 'output' }))
/** A command over several lines has one prompt. */
const typed = (command: string): Line[] =>
  hidden(command)
    .split('\n')
    .map((text, index) => ({ text: index === 0 ? `$ ${text}` : text, kind: index === 0 ? 'prompt' : 'more' }))
const comment = (text: string): Line => ({ text: `# ${text}`, kind: 'comment' })

/** Long work shows progress. */
const step = (text: string): void => console.error(`${text} ...`)

async function outputOf(command: string[], cwd: string, more: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(command, { cwd, env: { ...env, ...more }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [text, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command.join(' ')}: ${errors || text}`)
  return text
}
/** A command as a reader types it, in the folder of the clone. */
const shell = (command: string, more?: Record<string, string>) => outputOf(['bash', '-c', command], clone, more)

async function start() {
  const child = Bun.spawn(['sh', '-c', 'exec npm start 2>&1'], { cwd: clone, env, stdin: 'ignore', stdout: 'pipe' })
  let summary = ''
  // Read to its end: a gateway whose terminal is gone would stop.
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) summary += decoder.decode(chunk, { stream: true })
  })()
  await until('the first start prints a command', async () => SUMMARY_ENDS_WITH.test(summary))
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
  }
  const [shown = ''] = summary.replaceAll(REPLACED, '').split(/(?<=\n {4}-d '.*')\n/)
  return { stop, shown }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + WITHIN_MS
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`not within ${WITHIN_MS} ms: ${what}`)
    await Bun.sleep(200)
  }
}

/** The audit once the request that was interrupted is charged. */
async function settled(audit: string): Promise<string> {
  let text = ''
  await until('the interrupted request is settled', async () => {
    text = await shell(audit)
    return text.includes('open_holds: 0')
  })
  return text
}

/** Makes it the command `claude`. */
async function fetchAgent(): Promise<void> {
  const { package: name, version, script } = AGENTS['claude-code'] ?? { package: '', version: '', script: '' }
  const installed = join(folder, 'agent')
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{"private":true}')
  const install = ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await outputOf([...install, `${name}@${version}`], installed)
  const program = join(bin, 'claude')
  writeFileSync(program, `#!/bin/sh\nexec node '${join(installed, 'node_modules', name, script)}' "$@"\n`)
  chmodSync(program, 0o755)
}

async function scenes(): Promise<Scene[]> {
  step('cloning and starting')
  await outputOf(['git', 'clone', '-q', ROOT, clone], folder)
  const { shown, stop } = await start()
  try {
    const [begin = '', next = ''] = shown.split(/\n\n(?=Open the console)/)
    const curl = /^ {2}(curl [\s\S]*)/m.exec(next)?.[1] ?? ''
    const answer = await shell(curl)

    step('fetching Claude Code')
    await fetchAgent()
    step('running it')
    const secret = /sk-[\w-]+/.exec(curl)?.[0] ?? ''
    const connect = `export ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=${secret}`
    const choose = 'export ANTHROPIC_MODEL=sandbox-text ANTHROPIC_DEFAULT_HAIKU_MODEL=sandbox-text'
    const tool = JSON.stringify({ command: 'echo built on $(uname)', description: 'the system' })
    const agent = `claude --allowedTools Bash -p \\\n    'call Bash with ${tool}'`
    const said = await shell(`${connect}; ${choose}; ${agent}`, AGENT_ENVIRONMENT)
    const usage = `npx trivium usage --account ${ACCOUNT} --limit 3`
    const used = await shell(usage)
    const id = /req_\w+/.exec(used)?.[0] ?? ''
    const receipt = `npx trivium request show ${id} |\n    grep -E '^(model|upstream|outcome|units|formula|cost_usd):'`
    const receiptPrinted = await shell(receipt)

    step('killing the gateway')
    const story =
      '{"model":"sandbox-text","stream":true,"messages":[{"role":"user","content":"Tell a story. pace 500 ms"}]}'
    const stream = `curl -sN ${url}/v1/chat/completions \\\n    -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' \\\n    -d '${story}' > story.txt &`
    const kill = 'kill -9 $(cat data/owner.pid)'
    await shell(`${stream}\nwhile ! test -s story.txt; do sleep 0.1; done; ${kill}`)
    await until('the gateway is back', async () => (await fetch(`${url}/ready`).catch(() => undefined))?.ok === true)
    const audit = "npx trivium audit | grep -E '^(ok|requests|transfers|open_holds|balance_mismatches):'"
    const audited = await settled(audit)
    return [
      {
        title: 'Start it: no vendor account, no Docker, no database server',
        lines: [...typed('npm start'), ...printed(begin)],
      },
      {
        title: 'Paste the command that it prints into a second terminal',
        lines: [...printed(next), ...typed(curl), ...printed(answer)],
      },
      {
        title: 'Claude Code, with the same key',
        lines: [
          ...typed(connect),
          ...typed(choose),
          ...typed(agent),
          ...printed(said),
          ...typed(usage),
          ...printed(used),
        ],
      },
      {
        title: 'Kill it while a request runs: the ledger adds up',
        lines: [
          ...typed(stream),
          ...typed(kill),
          comment('npm start starts it again at once; within 15 seconds the interrupted request is settled.'),
          ...typed(audit),
          ...printed(audited),
        ],
      },
      { title: 'The receipt of what Claude Code asked', lines: [...typed(receipt), ...printed(receiptPrinted)] },
    ]
  } finally {
    await stop()
  }
}

try {
  writeFileSync(join(ROOT, 'docs/images/tour.svg'), renderScenes(await scenes()))
  console.log('wrote docs/images/tour.svg')
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}
