// `npm run recording`: docs/images/tour.svg, from real commands against a real gateway: start, curl, Claude Code on a model of another
// vendor's API, the receipt, kill -9, audit. Fetches Claude Code from npm into a temporary folder. The vendor is a sandbox on loopback.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { AGENTS } from '../agents/agents.ts'
import { type Line, renderScenes, type Scene } from './svg.ts'

const ROOT = join(import.meta.dir, '../..')
/** What the recording shows in place of the free port that it uses. */
const SHOWN_URL = 'http://127.0.0.1:3333'
const START_WITHIN_MS = 60_000
const EMAIL = 'ada@example.com'

const BANNER = /^Trivium|address|models|Open the console|setup#|Try it|curl|-H|-d /
const REPLY = /^[{}]|"(?:model|role|content|finish_reason|usage|prompt_tokens|completion_tokens)"/
const RECEIPT = /^(?:account|model|upstream|attempts|outcome|units|price|formula|cost_usd|held_usd|upstream_cost_usd):/
const AUDIT = /^(?:ok|accounts|requests|transfers|open_holds|balance_mismatches|negative_accounts):/

const folder = mkdtempSync(join(tmpdir(), 'trivium-recording-'))
/** Where the gateway listens. */
function freePort(): number {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port } = server
  void server.stop(true)
  return port ?? 0
}
const vendor = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false })
mkdirSync(join(folder, 'home'))
const env = {
  PATH: process.env.PATH ?? '',
  HOME: join(folder, 'home'),
  TRIVIUM_DATA: join(folder, 'data'),
  TRIVIUM_CONFIG: join(folder, 'trivium.yaml'),
  PORT: String(freePort()),
  TRIVIUM_LOG: 'off',
  TRIVIUM_LOG_FORMAT: 'text',
  NO_COLOR: '1',
  TERM: 'dumb',
}
const url = `http://127.0.0.1:${env.PORT}`
writeFileSync(
  env.TRIVIUM_CONFIG,
  `sandbox: true
upstreams:
  - { id: openai, dialect: responses, base_url: "${vendor.url}/v1", keys: [key-of-the-vendor] }
models:
  - id: gpt-x
    routes: [{ upstream: openai, model: sandbox-text }]
    price: { input: 2.00, output: 8.00 }
    limits: { context: 400000, max_output: 64000 }
    capabilities: [tools]
groups: [{ id: default, models: ["*"] }]
`,
)

const output = (text: string, most = 12): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .slice(0, most)
    .map((line) => ({ text: line, kind: 'output' }))
/** The lines that matter; `...` stands for those between them. */
const only = (text: string, wanted: RegExp): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (wanted.test(line) ? line : '...'))
    .filter((line, index, lines) => line !== '...' || lines[index - 1] !== '...')
    .map((line) => ({ text: line, kind: 'output' }))
const prompt = (text: string): Line => ({ text, kind: 'prompt' })
const comment = (text: string): Line => ({ text: `# ${text}`, kind: 'comment' })

/** Long work shows progress. */
const step = (text: string): void => console.error(`${text} ...`)

async function printed(command: string[], more: Record<string, string> = {}, cwd = folder): Promise<string> {
  const child = Bun.spawn(command, { cwd, env: { ...env, ...more }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [text, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command.join(' ')}: ${errors || text}`)
  return text
}
const trivium = (...args: string[]) => printed([process.execPath, join(ROOT, 'packages/gateway/src/main.ts'), ...args])

/** Its parent process restarts it when it dies. */
async function start() {
  const child = Bun.spawn([process.execPath, join(ROOT, 'packages/gateway/src/main.ts'), 'serve'], {
    cwd: folder,
    env,
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let text = ''
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) text += decoder.decode(chunk, { stream: true })
  })()
  await untilReady()
  return { child, banner: text }
}

async function untilReady(): Promise<void> {
  const end = Date.now() + START_WITHIN_MS
  while (!(await fetch(`${url}/ready`).catch(() => undefined))?.ok) {
    if (Date.now() > end) throw new Error('the gateway did not start')
    await Bun.sleep(50)
  }
}

const serverPid = (): number => Number(readFileSync(join(env.TRIVIUM_DATA, 'owner.pid'), 'utf8'))

/** Without secrets, and with the places that a reader would have. */
const hidden = (text: string): string =>
  text
    .replaceAll(url, SHOWN_URL)
    .replaceAll(/sk-[\w-]{8,}/g, 'sk-...')
    .replaceAll(/(\/console\/\S*[#?/])[\w-]{16,}/g, '$1...')
    .replaceAll(folder, '~/trivium')

async function fetchAgent(): Promise<string> {
  const { package: name, version, script } = AGENTS['claude-code'] ?? { package: '', version: '', script: '' }
  const home = join(folder, 'agent')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{"private":true}')
  const install = ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await printed([...install, `${name}@${version}`], { HOME: process.env.HOME ?? '' }, home)
  return join(home, 'node_modules', name, script)
}

async function scenes(): Promise<Scene[]> {
  step('starting the gateway')
  const { child, banner } = await start()
  const key = /sk-[\w-]+/.exec(banner)?.[0] ?? ''
  const shownBanner = hidden(banner)

  const body = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
  const reply = JSON.stringify(await answer.json(), null, 2)

  await trivium('account', 'create', '--email', EMAIL, '--credit', '25')
  const made = JSON.parse(await trivium('key', 'create', '--account', EMAIL, '--name', 'laptop', '--json'))
  step('fetching Claude Code')
  const agent = await fetchAgent()
  step('running it')
  const task = 'call Bash with {"command":"echo built on $(uname)","description":"the system"}'
  const said = await printed(['node', agent, '-p', task, '--allowedTools', 'Bash'], {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: made.secret,
    ANTHROPIC_MODEL: 'gpt-x',
    ANTHROPIC_DEFAULT_HAIKU_MODEL: 'gpt-x',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1',
  })

  const [request] = JSON.parse(await trivium('usage', '--account', EMAIL, '--limit', '1', '--json'))
  const receipt = await trivium('request', 'show', request.request_id)

  step('killing the gateway')
  // A stream that runs while the process dies.
  const slow = {
    ...body,
    model: 'gpt-x',
    stream: true,
    messages: [{ role: 'user', content: 'Tell a story. pace 500 ms' }],
  }
  const held = fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${made.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(slow),
  }).catch(() => undefined)
  await Bun.sleep(1_000)
  const pid = serverPid()
  process.kill(pid, 'SIGKILL')
  await held
  await untilReady()
  const audit = await trivium('audit')
  child.kill('SIGTERM')
  await child.exited
  return [
    { title: 'Start it', lines: [prompt('npm start'), ...only(shownBanner, BANNER)] },
    {
      title: 'Paste the command that it prints',
      lines: [
        prompt(`curl ${SHOWN_URL}/v1/chat/completions -H 'Authorization: Bearer sk-...' \\`),
        ...output(`    -H 'Content-Type: application/json' \\\n    -d '${JSON.stringify(body)}'`),
        ...only(reply, REPLY),
      ],
    },
    {
      title: "Claude Code, on a model behind OpenAI's API (here played by the sandbox)",
      lines: [
        prompt(`export ANTHROPIC_BASE_URL=${SHOWN_URL} ANTHROPIC_API_KEY=sk-... ANTHROPIC_MODEL=gpt-x`),
        prompt(`claude -p '${task}'`),
        ...output(said),
      ],
    },
    { title: 'The receipt', lines: [prompt(`trivium request show ${request.request_id}`), ...only(receipt, RECEIPT)] },
    {
      title: 'Pull the plug while a request runs',
      lines: [
        prompt(`kill -9 ${pid}`),
        comment('the gateway is back within a moment, and its ledger adds up'),
        prompt('trivium audit'),
        ...only(audit, AUDIT),
      ],
    },
  ]
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
