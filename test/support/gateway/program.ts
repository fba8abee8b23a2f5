// The gateway as one file with its bytecode, built once for each state of the sources: a process of it starts in a fifth of the CPU
// time that its many modules take.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dir, '../../..')
const ENTRY = join(import.meta.dir, 'program/main.ts')
const MIGRATIONS = join(import.meta.dir, 'program/migrations.ts')
/** What the program is made of; the packages of the console and of the tests' own tools are not in it. */
const SOURCES = ['packages/gateway', 'packages/http', 'packages/protocol', 'packages/sandbox', 'test/support/gateway']
const CACHE = join(ROOT, 'node_modules/.cache/trivium-test-program')
const HOUR_MS = 3_600_000
/** How a module names the file of a thread that it starts. */
const THREAD = /new URL\('(\.\/[^']+\.ts)', import\.meta\.url\)/g

let built: Promise<string> | undefined

/** The file to run. */
export function program(): Promise<string> {
  built ??= build()
  return built
}

/** Several processes may do this at once: each writes a folder of its own, and the first one to rename it wins. */
async function build(): Promise<string> {
  const finished = join(CACHE, hashSources())
  const main = join(finished, 'main.js')
  if (existsSync(main)) return main
  const unfinished = `${finished}.${crypto.randomUUID()}`
  const threads = new Set<string>()
  await bundle(ENTRY, unfinished, (source, contents) => place(source, contents, finished, threads))
  for (const thread of threads)
    await bundle(thread, unfinished, (path, contents) =>
      path === thread ? `import '${MIGRATIONS}'\n${contents}` : contents,
    )
  try {
    renameSync(unfinished, finished)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(main)) throw error
  }
  removeOld(finished)
  return main
}

function hashSources(): string {
  const hash = new Bun.CryptoHasher('sha256').update(`${Bun.version} ${Bun.revision}\n`)
  const files = SOURCES.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('/fixtures') && !entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  for (const file of [...files.sort(), join(ROOT, 'package-lock.json')])
    hash.update(`${file}\n`).update(readFileSync(file))
  return hash.digest('hex').slice(0, 20)
}

/** Bytecode needs the format of CommonJS. */
async function bundle(entry: string, outdir: string, place: (path: string, contents: string) => string) {
  const setup = (build: Bun.PluginBuilder) => {
    build.onLoad({ filter: /packages\/(?:gateway|http)\/src\/.*\.ts$/ }, async ({ path }) => ({
      contents: place(path, await Bun.file(path).text()),
      loader: 'ts',
    }))
  }
  const plugins = [{ name: 'placed', setup }]
  await Bun.build({ entrypoints: [entry], outdir, target: 'bun', format: 'cjs', bytecode: true, plugins })
}

/** Threads run from files that are built, too. The console's sources stay where they are. */
function place(path: string, contents: string, finished: string, threads: Set<string>): string {
  if (path.endsWith('/thread-code.ts')) return 'export const threadCode = async (file: URL) => file.href'
  return contents
    .replaceAll(THREAD, (_, name: string) => {
      const thread = join(dirname(path), name)
      threads.add(thread)
      return `new URL(${JSON.stringify(pathToFileURL(join(finished, basename(thread, '.ts'))).href)} + '.js')`
    })
    .replaceAll('import.meta.dir', JSON.stringify(dirname(path)))
}

/** What former states of the sources left. A test run of such a state may still be using the newest ones. */
function removeOld(current: string): void {
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name)
    const modified = statSync(folder, { throwIfNoEntry: false })?.mtimeMs
    if (folder !== current && modified !== undefined && Date.now() - modified > HOUR_MS)
      rmSync(folder, { recursive: true, force: true })
  }
}
