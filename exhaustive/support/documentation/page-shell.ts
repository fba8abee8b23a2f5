// A shell for the commands of one page, in a folder of its own. The page's gateway is where the page says that one is, and commands that
// would start, install or fetch something do nothing.
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../test/support/documentation/blocks.ts'
import { type Gateway, startGateway } from '../../../test/support/gateway/gateway.ts'
import { environmentOf } from '../../../test/support/gateway/home.ts'
import { program } from '../../../test/support/gateway/program.ts'
import { wavOf } from '../../../test/support/requests/audio.ts'
import { startStubVendor } from '../../../test/support/upstreams/stub-vendor.ts'

/** Folders of an operator's machine, which are in the folder of the page here. */
const PLACES = /(^|[\s"'=@])\/(backups|srv)(?=[/\s"']|$)/gm
/** What commands of a page may use besides; all else must be marked as not run. */
const TOOLS = [
  'cat',
  'chmod',
  'cp',
  'cut',
  'env',
  'grep',
  'head',
  'ls',
  'mkdir',
  'mv',
  'rm',
  'sed',
  'sort',
  'tail',
  'tr',
  'wc',
]
const SHOWN_URL = 'http://127.0.0.1:3333'
/** Inside this package, so that programs find the SDKs as a user's would. */
const CACHE = join(ROOT, 'exhaustive/node_modules/.cache/documented')

export type Output = { code: number; stdout: string; stderr: string }

export type PageShell = {
  /** The commands of a block, after those of the blocks before it. */
  run(code: string): Promise<Output>
  /** A program in TypeScript or JavaScript. */
  runProgram(code: string): Promise<Output>
  stop(): Promise<void>
}

export async function openPageShell(
  name: string,
  gateway: Gateway,
  variables: Record<string, string>,
): Promise<PageShell> {
  const folder = join(CACHE, name.replaceAll('/', '-'))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'bin'), { recursive: true })
  await writeCommands(join(folder, 'bin'))
  const files = join(folder, 'files')
  mkdirSync(files)
  writeFileSync(join(files, 'speech.wav'), wavOf(6))
  writeFileSync(join(files, 'openai.key'), 'sk-of-a-vendor\n')
  writeFileSync(join(files, 'passphrase.txt'), 'a passphrase of a page\n')
  symlinkSync(gateway.home.configFile, join(files, 'trivium.yaml'))
  for (const place of ['backups', 'srv']) mkdirSync(join(files, place))
  const state = join(folder, 'state.sh')
  writeFileSync(state, `cd '${files}'\n`)

  // What a command printed last is what the next one names: `resp_...` is the id of the response before.
  let printed = gateway.firstKey ?? ''
  const filledIn = (code: string): string =>
    code
      .replaceAll(SHOWN_URL, gateway.url)
      .replace(PLACES, (_, before: string, place: string) => `${before}${join(files, place)}`)
      .replace(/\b([a-z]+[-_])\.\.\./g, (shown, prefix: string) => {
        // A vendor's own id looks the same.
        const found = printed.match(
          new RegExp(`(?<![\\w-]|upstream_request_id:\\s*|upstream=)${prefix}[\\w-]{6,}`, 'g'),
        )
        return found?.at(-1) ?? shown
      })
  const env = {
    ...environmentOf(gateway.home),
    ...gateway.env,
    PATH: join(folder, 'bin'),
    HOME: files,
    ...variables,
  }
  const execute = async (command: string[]): Promise<Output> => {
    const child = Bun.spawn(command, { cwd: files, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    printed += `\n${stdout}`
    return { code, stdout, stderr }
  }
  let programs: string[] = []
  return {
    async run(code) {
      const outputs: Output[] = []
      for (const command of commandsOf(code)) {
        const keepState = `(export -p; echo "cd '$PWD'") > '${state}'`
        outputs.push(await execute(['/bin/sh', '-c', `. '${state}'\nset -e\n${filledIn(command)}\n${keepState}`]))
        if (outputs.at(-1)?.code !== 0) break
      }
      const all = (name: 'stdout' | 'stderr') => outputs.map((output) => output[name]).join('\n')
      return { code: outputs.at(-1)?.code ?? 0, stdout: all('stdout'), stderr: all('stderr') }
    },
    runProgram(code) {
      // A program without imports continues the one before it.
      programs = /^import /m.test(code) ? [code] : [...programs, code]
      const file = join(files, 'program.ts')
      writeFileSync(file, withInstalledNames(filledIn(programs.join('\n'))))
      return execute([process.execPath, file])
    },
    async stop() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** One command may be on several lines, and the ids that one prints are in the next. */
export function commandsOf(code: string): string[] {
  const commands: string[] = []
  let command = ''
  for (const line of code.split('\n')) {
    command += `${line}\n`
    if (isComplete(command)) {
      if (command.trim() !== '') commands.push(command)
      command = ''
    }
  }
  return command === '' ? commands : [...commands, command]
}

function isComplete(command: string): boolean {
  const [, word] = /<<-?'?(\w+)'?/.exec(command) ?? []
  if (command.endsWith('\\\n') || (word !== undefined && !command.includes(`\n${word}\n`))) return false
  return Bun.spawnSync(['/bin/sh', '-n', '-c', command]).exitCode === 0
}

/** Several versions are installed here, by alias. */
const withInstalledNames = (code: string): string =>
  code.replace("from 'ai'", "from 'ai-7'").replace("from '@ai-sdk/openai'", "from '@ai-sdk/openai-4'")

async function writeCommands(bin: string): Promise<void> {
  const scripts = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts).join('|')
  const commands = {
    trivium: `exec '${process.execPath}' '${await program()}' "$@"`,
    curl: `exec '${process.execPath}' '${join(import.meta.dir, 'curl.ts')}' "$@"`,
    git: '[ "$1" = clone ] && mkdir -p trivium',
    npx: '[ "$1" = trivium ] && exec "$@"; echo "npx $*: that is not installed" >&2; exit 1',
    npm: `case "$*" in
  'run -s trivium -- '*) shift 4; exec trivium "$@" ;;
  start*|ci*|test*) exit 0 ;;
  'run '*) shift; [ "$1" = -s ] && shift; case "$1" in ${scripts}) exit 0 ;; esac ;;
esac
echo "npm $*: there is no such script" >&2; exit 1`,
  }
  for (const tool of TOOLS) symlinkSync(Bun.which(tool) ?? '/nowhere', join(bin, tool))
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
}

/** Whom pages speak of without creating her first, and the key that their requests to the admin API carry. */
export async function preparePage(commands: string, gateway: Gateway): Promise<Record<string, string>> {
  if (commands.includes('ada@example.com') && !/account create .*--email ada@example\.com/.test(commands))
    await gateway.command('account', 'create', '--email', 'ada@example.com', '--credit', '25')
  if (!commands.includes('$ADMIN_KEY')) return {}
  const { secret } = await gateway.command<{ secret: string }>(
    'admin-key',
    'create',
    '--name',
    'pages',
    '--role',
    'owner',
  )
  return { ADMIN_KEY: secret }
}

/** Without a configuration of the page's own: with the sandbox models, and a first key. */
export const startPageGateway = (config = '{}'): Promise<Gateway> => startGateway({ config, env: variablesOf(config) })

/** As with a vendor's key in its environment, except that the vendor is on loopback. */
export async function startGatewayOfVendor(variable: string): Promise<Gateway> {
  const vendor = startStubVendor(['gpt-4.1'])
  const id = variable.replace('_API_KEY', '').toLowerCase()
  const upstream = `{ id: ${id}, kind: ${id}, base_url: "${vendor.baseUrl}", keys: [${vendor.key}], allow_private: true }`
  const model = `{ id: gpt-4.1, routes: [{ upstream: ${id} }], price: { input: 2, output: 8 } }`
  const gateway = await startGateway({
    config: `upstreams:\n  - ${upstream}\nmodels:\n  - ${model}\n`,
    env: { [variable]: vendor.key },
  })
  return {
    ...gateway,
    async stop() {
      await gateway.stop()
      vendor.stop()
    },
  }
}

/** A value for each variable that a configuration names. */
export const variablesOf = (config: string): Record<string, string> =>
  Object.fromEntries([...config.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, testValue(name)]))

const testValue = (name: string): string =>
  name === 'ALERT_SECRET' ? `whsec_${Buffer.alloc(32).toString('base64')}` : 'a-secret-of-the-tests'
