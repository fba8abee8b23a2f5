// The gateway as one file, built once per test process: a process of it starts in less than half of the CPU time that its many
// modules take.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ENTRY = join(import.meta.dir, 'test-main.ts')

let built: Promise<string> | undefined

/** The file to run. */
export function program(): Promise<string> {
  built ??= build()
  return built
}

async function build(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'trivium-program-'))
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }))
  const { outputs } = await Bun.build({
    entrypoints: [ENTRY],
    outdir,
    target: 'bun',
    plugins: [{ name: 'threads', setup: keepThreads }],
  })
  const [main] = outputs
  if (!main) throw new Error('the build has no output')
  return main.path
}

/** The files of threads, and the console's sources, are named relative to the modules that use them, and stay where they are. */
function keepThreads(build: Bun.PluginBuilder): void {
  build.onLoad({ filter: /packages\/gateway\/src\/.*\.ts$/ }, async ({ path }) => {
    const contents = await Bun.file(path).text()
    const [url, folder] = [pathToFileURL(path).href, dirname(path)].map((each) => JSON.stringify(each))
    const placed = contents.replaceAll('import.meta.url', url ?? '').replaceAll('import.meta.dir', folder ?? '')
    return { contents: placed, loader: 'ts' }
  })
}
