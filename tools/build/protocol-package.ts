// The protocol package for npm: one ES module for Node and browsers, and its types.

import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PACKAGE_NAME } from './npm-packages.ts'

const ROOT = join(import.meta.dir, '../..')
const PROTOCOL = join(ROOT, 'packages/protocol')
/** In the scope of the program. */
export const PROTOCOL_NAME = PACKAGE_NAME.replace(/[^/]*$/, 'protocol')

/** Returns the folder of the package. */
export async function writeProtocolPackage(version: string, parent: string): Promise<string> {
  const folder = join(parent, 'protocol')
  await mkdir(folder, { recursive: true })
  const { outputs } = await Bun.build({ entrypoints: [join(PROTOCOL, 'src/index.ts')], target: 'browser' })
  // The bundler names the file that each part is from.
  for (const output of outputs)
    await writeFile(join(folder, 'index.js'), (await output.text()).replaceAll(/^\/\/ \S+\.ts\n/gm, ''))
  await writeTypes(join(folder, 'types'))
  await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  await copyFile(join(PROTOCOL, 'README.md'), join(folder, 'README.md'))
  const manifest = {
    name: PROTOCOL_NAME,
    version,
    description: 'Translates requests, responses and streams between the four protocols of AI text models.',
    keywords: ['llm', 'openai', 'anthropic', 'gemini', 'translation', 'streaming'],
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: '>=20' },
    sideEffects: false,
    main: './index.js',
    types: './types/index.d.ts',
    exports: { '.': { types: './types/index.d.ts', default: './index.js' }, './package.json': './package.json' },
    files: ['index.js', 'types'],
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return folder
}

/** Only the files that the types of the index refer to. */
async function writeTypes(folder: string): Promise<void> {
  const all = await mkdtemp(join(tmpdir(), 'trivium-types-'))
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', all]
  const compiler = [process.env.NODE ?? 'node', join(ROOT, 'node_modules/typescript/bin/tsc')]
  const child = Bun.spawn([...compiler, '-p', PROTOCOL, '--rootDir', join(PROTOCOL, 'src'), ...emit])
  const [messages, code] = await Promise.all([child.stdout.text(), child.exited])
  if (code !== 0) throw new Error(`The types of the protocol package cannot be written: ${messages.trim()}`)
  const written = new Set<string>()
  const write = async (path: string): Promise<void> => {
    if (written.has(path)) return
    written.add(path)
    const text = await readFile(join(all, path), 'utf8')
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text.replaceAll(IMPORTED, "$1.js'"))
    for (const [, , target = ''] of text.matchAll(IMPORTED)) await write(`${join(dirname(path), target)}.d.ts`)
  }
  await write('index.d.ts')
  await rm(all, { recursive: true })
}

const IMPORTED = /(from '(\.[^']+))\.ts'/g
