// One executable for a platform: the gateway, its threads and the bundled console, with Bun inside.

import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openBundle } from '../../packages/gateway/src/console-files/bundle.ts'
import { CONSOLE_PREFIX } from '../../packages/gateway/src/console-files/open-console-files.ts'
import { VERSION } from '../../packages/gateway/src/observe/version.ts'
import { threadName } from '../../packages/http/src/system/thread-code.ts'
import type { Target } from './targets.ts'
import { THREADS } from './threads.ts'

const ROOT = join(import.meta.dir, '../..')
const GATEWAY = join(ROOT, 'packages/gateway/src')

/** Writes what executables of all platforms have inside into a folder, and returns the script that embeds it. */
export async function prepareParts(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await bundleConsole(folder)
  for (const path of THREADS) await bundleThread(path, folder)
  const names = (await readdir(folder)).sort()
  const imports = names.map((name) => `import './${name}' with { type: 'file' }`)
  const script = join(folder, 'trivium.ts')
  await writeFile(script, [...imports, `import '${join(GATEWAY, 'main.ts')}'`, ''].join('\n'))
  return script
}

/** Takes the bundle that a start from these sources would use, if there is one. */
async function bundleConsole(folder: string): Promise<void> {
  const bundle = await openBundle({
    source: join(ROOT, 'packages/console'),
    lockfile: join(ROOT, 'package-lock.json'),
    caches: [join(ROOT, 'node_modules/.cache/trivium-console')],
    signal: new AbortController().signal,
  })
  for (const [name, { brotli, gzip }] of bundle) {
    await Bun.write(join(folder, `${CONSOLE_PREFIX}${name}.br`), brotli)
    await Bun.write(join(folder, `${CONSOLE_PREFIX}${name}.gz`), gzip)
  }
}

async function bundleThread(path: string, folder: string): Promise<void> {
  const { outputs } = await Bun.build({ entrypoints: [path], target: 'bun', minify: true })
  for (const output of outputs) await Bun.write(join(folder, threadName(path)), output)
}

export async function compile(script: string, target: Target, file: string): Promise<void> {
  await run([
    'build',
    '--compile',
    '--bytecode',
    `--target=${target.bun}`,
    '--minify-syntax',
    '--minify-whitespace',
    '--asset-naming=[name].[ext]',
    `--define=BUILT_VERSION=${JSON.stringify(VERSION)}`,
    script,
    '--outfile',
    file,
  ])
}

async function run(args: readonly string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, ...args], { cwd: ROOT, stdout: 'ignore', stderr: 'pipe' })
  const [messages, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(messages.trim())
}
