// The court as an npm package for Node: one file, beside the clients that it drives, which are its dependencies.

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const COURT = join(ROOT, 'court')
const LEGAL = ['LICENSE', 'NOTICE']

/** The official SDKs and the frameworks, by the names under which the tests install them. */
const CLIENTS = ['openai', '@anthropic-ai/sdk', '@google/genai', 'ai-*', '@ai-sdk/*', '@langchain/*', '@openai/*']
const isClient = (name: string): boolean =>
  CLIENTS.some((pattern) => name === pattern || (pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1))))

/** Returns the folder of the package. */
export async function writeCourtPackage(version: string, parent: string): Promise<string> {
  const folder = join(parent, 'trivium-court')
  await mkdir(folder, { recursive: true })
  const { outputs } = await Bun.build({
    entrypoints: [join(COURT, 'main.ts')],
    target: 'node',
    banner: '#!/usr/bin/env node',
    external: CLIENTS,
    // Only for folders of this repository, which the package does not read.
    define: { 'import.meta.dir': '"."' },
  })
  for (const output of outputs) await Bun.write(join(folder, 'court.mjs'), output)
  // Links lead into this repository.
  const readme = (await readFile(join(COURT, 'README.md'), 'utf8')).replaceAll(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1')
  await writeFile(join(folder, 'README.md'), readme)
  for (const name of LEGAL) await copyFile(join(ROOT, name), join(folder, name))
  const { private: _, ...manifest } = await manifestOf(join(COURT, 'package.json'))
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify({ ...manifest, version, dependencies: await clients() }, null, 2)}\n`,
  )
  return folder
}

type Manifest = Record<string, unknown> & { devDependencies?: Record<string, string> }

const manifestOf = async (file: string): Promise<Manifest> => JSON.parse(await readFile(file, 'utf8')) as Manifest

/** The versions that the tests run. */
async function clients(): Promise<Record<string, string>> {
  const manifests = await Promise.all(
    ['package.json', 'exhaustive/package.json'].map((file) => manifestOf(join(ROOT, file))),
  )
  const found = manifests.flatMap(({ devDependencies = {} }) => Object.entries(devDependencies))
  return Object.fromEntries(found.filter(([name]) => isClient(name)))
}
