// Bundles the web app into a folder: `bun build.ts FOLDER`. The gateway runs this in a process of its own, because bundling
// keeps a CPU core busy and memory allocated for a while.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { help } from './help-plugin.ts'
import { tailwind } from './tailwind-plugin.ts'
import { texts } from './texts-plugin.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: bun build.ts FOLDER')

/** Scripts find each other in their own folder; the page learns from the gateway where that is. */
const SAME_FOLDER = './'
const ASSETS = '{{assets}}'
const PAGE = /src\/(operate\/)?pages\/([\w-]+)\/page\.tsx$/
const PLACE = /src\/operate\/place\.tsx$/
const plain = (path: string): string => path.replace(/^\.?\//, '')

/** A page of fewer and larger scripts is there earlier, since each one is a request. */
const LEAST_CHUNK = 16 * 1024

const { outputs, metafile } = await Bun.build({
  entrypoints: [join(import.meta.dir, 'src/main.tsx')],
  target: 'browser',
  minify: true,
  splitting: true,
  minChunkSize: LEAST_CHUNK,
  metafile: true,
  publicPath: SAME_FOLDER,
  naming: { entry: '[name]-[hash].[ext]', chunk: 'chunk-[hash].[ext]', asset: '[name]-[hash].[ext]' },
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [tailwind, help, texts],
})

await mkdir(folder, { recursive: true })
const entry = { script: '', style: '' }
for (const output of outputs) {
  const name = plain(output.path)
  if (output.kind === 'entry-point') entry.script = name
  if (name.endsWith('.css')) entry.style ||= name
  await store(name, Buffer.from(await output.arrayBuffer()))
}

const page = await Bun.file(join(import.meta.dir, 'src/index.html')).text()
const filled = page.replace('{{script}}', ASSETS + entry.script).replace('{{style}}', ASSETS + entry.style)
await store('index.html', Buffer.from(filled))
await store('preloads.json', Buffer.from(JSON.stringify(preloads())))

/** The scripts of each page by its folder, such as `keys` and `operate/keys`, without those that every page has. */
function preloads(): Record<string, string[]> {
  const made = Object.entries(metafile?.outputs ?? {}).map(([path, output]) => ({ name: plain(path), ...output }))
  const scripts = new Map(made.map((output) => [output.name, output]))
  const loadedWith = (name: string, found = new Set<string>()): Set<string> => {
    found.add(name)
    for (const { path, kind } of scripts.get(name)?.imports ?? [])
      if (kind === 'import-statement' && scripts.has(plain(path)) && !found.has(plain(path)))
        loadedWith(plain(path), found)
    return found
  }
  const first = loadedWith(entry.script)
  return Object.fromEntries(
    made.flatMap(({ name, entryPoint = '' }) => {
      const [, place = '', folder] = PAGE.exec(entryPoint) ?? []
      const scripts = [...loadedWith(name)].filter((each) => !first.has(each))
      return folder !== undefined || PLACE.test(entryPoint) ? [[place + (folder ?? 'operate'), scripts]] : []
    }),
  )
}

/** Compressed once, as far as possible: both encodings, because browsers accept brotli over TLS only. */
async function store(name: string, content: Buffer): Promise<void> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  await writeFile(join(folder ?? '', `${name}.br`), brotliCompressSync(content, { params }))
  await writeFile(join(folder ?? '', `${name}.gz`), gzipSync(content, { level: 9 }))
}
