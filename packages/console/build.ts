// Bundles the web app into a folder: `bun build.ts FOLDER`. The gateway runs this in a process of its own, because bundling
// keeps a CPU core busy and memory allocated for a while.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwind from 'bun-plugin-tailwind'
import { help } from './help-plugin.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: bun build.ts FOLDER')

/** Scripts find each other in their own folder; the page learns from the gateway where that is. */
const SAME_FOLDER = './'
const ASSETS = '{{assets}}'

const { outputs } = await Bun.build({
  entrypoints: [join(import.meta.dir, 'src/main.tsx')],
  target: 'browser',
  minify: true,
  splitting: true,
  publicPath: SAME_FOLDER,
  naming: { entry: '[name]-[hash].[ext]', chunk: 'chunk-[hash].[ext]', asset: '[name]-[hash].[ext]' },
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [tailwind, help],
})

await mkdir(folder, { recursive: true })
const entry = { script: '', style: '' }
const scripts = new Map<string, string>()
const STATIC_IMPORT = /\b(?:from|import)\s*"\.\/(chunk-\w+\.js)"/g
for (const output of outputs) {
  const name = output.path.replace(/^\.?\//, '')
  if (output.kind === 'entry-point') entry.script = name
  if (name.endsWith('.css')) entry.style ||= name
  const content = Buffer.from(await output.arrayBuffer())
  if (name.endsWith('.js')) scripts.set(name, content.toString())
  await store(name, content)
}

const page = await Bun.file(join(import.meta.dir, 'src/index.html')).text()
const preloads = [...importedBy(entry.script)].map((name) => `<link rel="modulepreload" href="${ASSETS}${name}" />`)
const filled = page
  .replace('{{script}}', ASSETS + entry.script)
  .replace('{{style}}', ASSETS + entry.style)
  .replace('<!-- preloads -->', preloads.join('\n    '))
await store('index.html', Buffer.from(filled))

/** What a script imports before it runs, directly or not: the browser would find out only from script to script. */
function importedBy(name: string, found = new Set<string>()): Set<string> {
  for (const [, imported = ''] of (scripts.get(name) ?? '').matchAll(STATIC_IMPORT)) {
    if (found.has(imported)) continue
    found.add(imported)
    importedBy(imported, found)
  }
  return found
}

/** Compressed once, as far as possible: both encodings, because browsers accept brotli over TLS only. */
async function store(name: string, content: Buffer): Promise<void> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  await writeFile(join(folder ?? '', `${name}.br`), brotliCompressSync(content, { params }))
  await writeFile(join(folder ?? '', `${name}.gz`), gzipSync(content, { level: 9 }))
}
