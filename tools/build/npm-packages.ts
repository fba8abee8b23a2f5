// The packages behind `npx @trivium-gateway/trivium`: one for each platform, with its executable, and one that chooses among them.
// npm installs only the package of the machine, and no script runs at the installation.

import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TARGETS, type Target } from './targets.ts'

const ROOT = join(import.meta.dir, '../..')
/** What the program is called on npm. This is the only place: the launcher reads it from the package that it is in. */
export const PACKAGE_NAME = '@trivium-gateway/trivium'
const COMMON = { license: 'Apache-2.0', engines: { node: '>=20' } }
const LEGAL = ['LICENSE', 'NOTICE']

const packageOf = ({ name }: Target): string => `${PACKAGE_NAME}-${name}`
const folderOf = (name: string, parent: string): string => join(parent, name.replaceAll('/', '-'))

/** Returns the folder of the package. */
export async function writePlatformPackage(
  target: Target,
  version: string,
  executable: string,
  parent: string,
): Promise<string> {
  const { os, cpu, libc } = target
  const folder = folderOf(packageOf(target), parent)
  await mkdir(join(folder, 'bin'), { recursive: true })
  await copyFile(executable, join(folder, 'bin/trivium'))
  await chmod(join(folder, 'bin/trivium'), 0o755)
  await finish(folder, {
    name: packageOf(target),
    version,
    description: `The executable of Trivium for ${target.name}.`,
    ...COMMON,
    os: [os],
    cpu: [cpu],
    ...(libc === undefined ? {} : { libc: [libc] }),
    // npm would leave out what it takes for a build result.
    files: ['bin', ...LEGAL],
  })
  return folder
}

export async function writeMainPackage(version: string, parent: string): Promise<string> {
  const folder = folderOf(PACKAGE_NAME, parent)
  await mkdir(join(folder, 'bin'), { recursive: true })
  await copyFile(join(import.meta.dir, 'npm-launcher.cjs'), join(folder, 'bin/trivium.cjs'))
  await copyFile(join(ROOT, 'README.md'), join(folder, 'README.md'))
  await finish(folder, {
    name: PACKAGE_NAME,
    version,
    description: 'A self-hosted gateway to AI models: four protocols, one host, one key, and a ledger you can audit.',
    ...COMMON,
    bin: { trivium: 'bin/trivium.cjs' },
    files: ['bin', ...LEGAL],
    optionalDependencies: Object.fromEntries(TARGETS.map((target) => [packageOf(target), version])),
  })
  return folder
}

async function finish(folder: string, manifest: object): Promise<void> {
  for (const name of LEGAL) await copyFile(join(ROOT, name), join(folder, name))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Returns the name of the file, in `destination`. */
export async function pack(folder: string, destination: string): Promise<string> {
  await nameRepository(join(folder, 'package.json'))
  const child = Bun.spawn(['npm', 'pack', '--json', '--pack-destination', destination], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, messages, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(messages.trim())
  const [packed] = JSON.parse(out) as { filename: string }[]
  if (!packed) throw new Error(`npm pack made no file of ${folder}`)
  return packed.filename
}

/** npm compares it with the workflow that publishes. */
async function nameRepository(manifest: string): Promise<void> {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  if (server === undefined || repository === undefined) return
  const fields = JSON.parse(await readFile(manifest, 'utf8')) as object
  const named = { ...fields, repository: { type: 'git', url: `git+${server}/${repository}.git` } }
  await writeFile(manifest, `${JSON.stringify(named, null, 2)}\n`)
}
