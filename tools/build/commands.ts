// Bundles the commands of a clone into one file (tools/commands.mjs says why): `bun tools/build/commands.ts FOLDER`.

import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { THREADS } from './threads.ts'

const ROOT = join(import.meta.dir, '../..')
const SOURCES = /packages\/\w+\/src\/.*\.ts$/
/** A server runs from the sources. */
const SERVER = /\/server\/serve\.ts$/
/** Changes with the packages that are installed. */
const PACKAGES = 'node_modules/.package-lock.json'
const HOUR_MS = 3_600_000

/** Those of the store. */
const COMMAND_THREADS = THREADS.filter((path) => path.includes('/storage/'))

const [cache] = process.argv.slice(2)
if (cache === undefined) throw new Error('usage: bun tools/build/commands.ts FOLDER')
await bundleCommands(resolve(cache))

async function bundleCommands(cache: string): Promise<void> {
  const start = Date.now()
  const name = crypto.randomUUID()
  const folder = join(cache, name)
  const { metafile } = await Bun.build({
    entrypoints: [join(ROOT, 'packages/gateway/src/main.ts'), ...COMMAND_THREADS],
    outdir: folder,
    naming: '[name].[ext]',
    target: 'bun',
    // Bytecode needs the format of CommonJS.
    format: 'cjs',
    bytecode: true,
    minify: { whitespace: true, syntax: true },
    metafile: true,
    plugins: [{ name: 'in place', setup: (build) => stayInPlace(build, folder) }],
  })
  const paths = Object.keys(metafile?.inputs ?? {}).map((path) => relative(ROOT, resolve(path)))
  const own = paths.filter((path) => !path.startsWith('node_modules/'))
  const inputs = [...own, PACKAGES].map((path) => {
    const { mtimeMs, size } = statSync(join(ROOT, path))
    return [path, mtimeMs, size] as const
  })
  // A source that changed meanwhile may be in the file as it was.
  if (inputs.some(([, time]) => time >= start)) return rmSync(folder, { recursive: true })
  const unfinished = join(cache, `${name}.json`)
  writeFileSync(unfinished, JSON.stringify({ folder: name, inputs }))
  renameSync(unfinished, join(cache, 'current.json'))
  removeOld(cache, name)
}

/** Modules find the files of the repository where their sources are, and their threads beside this file. */
function stayInPlace(build: Bun.PluginBuilder, folder: string): void {
  build.onResolve({ filter: SERVER }, ({ path, importer }) => ({ path: join(dirname(importer), path), external: true }))
  build.onLoad({ filter: SOURCES }, ({ path }) => ({
    contents: path.endsWith('/thread-code.ts')
      ? `export const threadCode = async ({ href }) => ${bundledThread(folder)}`
      : readFileSync(path, 'utf8')
          .replaceAll('import.meta.dir', JSON.stringify(dirname(path)))
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
    loader: 'ts',
  }))
}

function bundledThread(folder: string): string {
  return `href.replace(/.*\\/(.*)ts$/, ${JSON.stringify(`${folder}/$1js`)})`
}

/** A command that has just begun may still read the file before. */
function removeOld(cache: string, current: string): void {
  for (const name of readdirSync(cache)) {
    const modified = statSync(join(cache, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (name !== current && name !== 'current.json' && Date.now() - modified > HOUR_MS)
      rmSync(join(cache, name), { recursive: true, force: true })
  }
}
