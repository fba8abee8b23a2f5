// `npm run recording`: docs/images/tour.svg, from real commands against a real gateway: a start with the sandbox, curl, a start with
// an upstream, Claude Code on a model of another vendor's API, kill -9, audit, the receipt. Fetches Claude Code from npm into a
// temporary folder; needs bash, curl and jq. The vendor is a sandbox server on loopback.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { AGENTS } from '../agents/agents.ts'
import { type Line, renderScenes, type Scene } from './svg.ts'

const ROOT = join(import.meta.dir, '../..')
/** What the recording shows in place of the free ports that it uses. */
const SHOWN_URL = 'http://127.0.0.1:3333'
const SHOWN_VENDOR = 'http://127.0.0.1:4444'
const START_WITHIN_MS = 60_000
const EMAIL = 'ada@example.com'
/** A start prints what is set, then the next steps. */
const SUMMARY_ENDS_WITH = /^ {2}models .*$/m

const folder = mkdtempSync(join(tmpdir(), 'trivium-recording-'))
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
const vendor = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false })
const env = {
  PATH: [bin, process.env.PATH ?? ''].join(delimiter),
  HOME: home,
  TRIVIUM_DATA: join(folder, 'data'),
  PORT: String(freePort()),
  TRIVIUM_LOG: 'off',
  TRIVIUM_LOG_FORMAT: 'text',
  NO_COLOR: '1',
  TERM: 'dumb',
}
/** Where the gateway, which runs in that folder, finds its configuration as soon as there is one. */
const configuration = join(folder, 'trivium.yaml')
const url = `http://127.0.0.1:${env.PORT}`
const CONFIGURATION = `upstreams: [{ id: openai, dialect: responses, base_url: "${vendor.url}/v1", keys: [stub] }]
models:
  - id: gpt-x
    routes: [{ upstream: openai, model: sandbox-text }]
    price: { input: 2.00, output: 8.00 }
    limits: { context: 400000, max_output: 64000 }
    capabilities: [tools]
`
/** What Claude Code needs here besides the settings that the recording shows. */
const AGENT_ENVIRONMENT = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', IS_SANDBOX: '1' }

/** Without secrets and the commit of the moment, and with the places that a reader would have. */
const hidden = (text: string): string =>
  text
    .replaceAll(url, SHOWN_URL)
    .replaceAll(vendor.url, SHOWN_VENDOR)
    .replaceAll(/sk-[\w-]{8,}/g, 'sk-...')
    .replaceAll(/-dev\+\w+/g, '-dev')
    .replaceAll(folder, '~/trivium')

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

async function outputOf(command: string[], more: Record<string, string> = {}, cwd = ROOT): Promise<string> {
  const child = Bun.spawn(command, { cwd, env: { ...env, ...more }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [text, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command.join(' ')}: ${errors || text}`)
  return text
}
/** A command as a reader types it, in the folder of the clone. */
const shell = (command: string, more?: Record<string, string>) =>
  outputOf(['bash', '-c', command], { TRIVIUM_CONFIG: configuration, ...more })

/** The process that `npm start` runs. Its parent process restarts it when it dies. */
async function start() {
  const child = Bun.spawn([process.execPath, join(ROOT, 'packages/gateway/src/main.ts'), 'serve'], {
    cwd: folder,
    env,
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let summary = ''
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) summary += decoder.decode(chunk, { stream: true })
  })()
  await untilReady()
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
  }
  const end = SUMMARY_ENDS_WITH.exec(summary)
  if (!end) throw new Error(`the summary of the start has no models: ${summary}`)
  return { stop, summary, shown: [...typed('npm start'), ...printed(summary.slice(0, end.index + end[0].length))] }
}

async function untilReady(): Promise<void> {
  const end = Date.now() + START_WITHIN_MS
  while (!(await fetch(`${url}/ready`).catch(() => undefined))?.ok) {
    if (Date.now() > end) throw new Error('the gateway did not start')
    await Bun.sleep(50)
  }
}

const serverPid = (): number => Number(readFileSync(join(env.TRIVIUM_DATA, 'owner.pid'), 'utf8'))

/** Makes it the command `claude`. */
async function fetchAgent(): Promise<void> {
  const { package: name, version, script } = AGENTS['claude-code'] ?? { package: '', version: '', script: '' }
  const installed = join(folder, 'agent')
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{"private":true}')
  const install = ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await outputOf([...install, `${name}@${version}`], { HOME: process.env.HOME ?? '' }, installed)
  const program = join(bin, 'claude')
  writeFileSync(program, `#!/bin/sh\nexec node '${join(installed, 'node_modules', name, script)}' "$@"\n`)
  chmodSync(program, 0o755)
}

async function sandboxScenes(): Promise<Scene[]> {
  step('starting with the sandbox')
  const { summary, shown, stop } = await start()
  const curl = /^ {2}(curl (?:[^\n]*\\\n)*[^\n]*)/m.exec(summary)?.[1]
  if (!curl) throw new Error(`the first start printed no command: ${summary}`)
  const command = `${curl.replace('curl', 'curl -s')} | jq '.choices[0].message'`
  const answer = await shell(command)
  if (!answer.startsWith('{')) throw new Error(`no message: ${answer}`)
  await stop()
  return [
    { title: 'Start it: no vendor account, no Docker, no database server', lines: shown },
    {
      title: 'Paste the command that it prints, and pick the message of the response',
      lines: [...typed(command), ...printed(answer)],
    },
  ]
}

async function upstreamScenes(): Promise<Scene[]> {
  step('starting with an upstream')
  writeFileSync(configuration, CONFIGURATION)
  const { shown, stop } = await start()

  const account = `npm run -s trivium -- account create --email ${EMAIL} --credit 25 |\n    grep -E '^(email|balance_usd):'`
  const key = `npm run -s trivium -- key create --account ${EMAIL} --name laptop --cap 10 |\n    grep -E '^(cap_usd|secret):'`
  const accountPrinted = await shell(account)
  const keyPrinted = await shell(key)
  const secret = /sk-[\w-]+/.exec(keyPrinted)?.[0] ?? ''

  step('fetching Claude Code')
  await fetchAgent()
  step('running it')
  const connect = `export ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=${secret}`
  const choose = 'export ANTHROPIC_MODEL=gpt-x ANTHROPIC_DEFAULT_HAIKU_MODEL=gpt-x'
  const tool = JSON.stringify({ command: 'echo built on $(uname)', description: 'the system' })
  const agent = `claude --allowedTools Bash -p \\\n    'call Bash with ${tool}'`
  const said = await shell(`cd ${folder}; ${connect}; ${choose}; ${agent}`, AGENT_ENVIRONMENT)
  const usage = await shell(`npm run -s trivium -- usage --account ${EMAIL} --limit 1 --json`)
  const [{ request_id: id }] = JSON.parse(usage)

  step('killing the gateway')
  const pid = await killDuringRequest(secret)
  const audit = 'npm run -s trivium -- audit | head -5'
  const audited = await shell(audit)
  const receipt = `npm run -s trivium -- request show ${id} |\n    grep -E '^(model|upstream|outcome|units|formula|cost_usd):'`
  const receiptPrinted = await shell(receipt)
  await stop()
  return [
    {
      title: "Configure an upstream (here a server on this machine that speaks OpenAI's API)",
      lines: [...typed('cat trivium.yaml'), ...printed(CONFIGURATION)],
    },
    { title: 'Start it again', lines: shown },
    {
      title: 'Create an account with credit, and a key with a spending cap',
      lines: [...typed(account), ...printed(accountPrinted), ...typed(key), ...printed(keyPrinted)],
    },
    {
      title: "Claude Code, on a model behind OpenAI's API",
      lines: [...typed(connect), ...typed(choose), ...typed(agent), ...printed(said)],
    },
    {
      title: 'Kill it while a request runs: the ledger adds up',
      lines: [
        ...typed(`kill -9 ${pid}`),
        comment('The gateway is back within a moment.'),
        ...typed(audit),
        ...printed(audited),
      ],
    },
    { title: 'The receipt of what Claude Code asked', lines: [...typed(receipt), ...printed(receiptPrinted)] },
  ]
}

/** Kills the gateway while it sends a stream, and waits until it is back. */
async function killDuringRequest(secret: string): Promise<number> {
  const stream = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'gpt-x',
      stream: true,
      messages: [{ role: 'user', content: 'Tell a story. pace 500 ms' }],
    }),
  })
  if (!stream.ok) throw new Error(await stream.text())
  const pid = serverPid()
  process.kill(pid, 'SIGKILL')
  await stream.text().catch(() => undefined)
  await untilReady()
  return pid
}

try {
  // The two starts share a data folder, as they do for a reader.
  const scenes = [...(await sandboxScenes()), ...(await upstreamScenes())]
  writeFileSync(join(ROOT, 'docs/images/tour.svg'), renderScenes(scenes))
  console.log('wrote docs/images/tour.svg')
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}
