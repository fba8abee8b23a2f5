// npm run build: an executable, its npm packages, checksums and a bill of materials, in `dist`.
//   npm run build                        for this machine
//   npm run build -- --target linux-arm64,darwin-arm64      for others; --target all: for every platform
//   npm run build -- --release           also the other packages that a release publishes, for which it installs the tools of checks
//   npm run build -- --out FOLDER

import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { VERSION } from '../../packages/gateway/src/observe/version.ts'
import { components } from './components.ts'
import { writeCourtPackage } from './court-package.ts'
import { compile, prepareParts } from './executable.ts'
import { pack, writeMainPackage, writePlatformPackage } from './npm-packages.ts'
import { writeProtocolPackage } from './protocol-package.ts'
import { sbomOf } from './sbom.ts'
import { hostTarget, TARGETS, type Target } from './targets.ts'

const ROOT = join(import.meta.dir, '../..')
type Write = (version: string, parent: string) => Promise<string>
/** What a release publishes on npm, after the program: each function writes a folder, and returns it. */
const PUBLISHED: readonly Write[] = [writeCourtPackage, writeProtocolPackage]
/** The names of the packed files in the order of their publication, which .github/workflows/release.yml reads. */
const PACKAGES = 'packages.txt'

async function build(targets: readonly Target[], more: readonly Write[], out: string): Promise<void> {
  const work = join(out, 'work')
  await rm(out, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  const files: string[] = []
  const packages: string[] = []
  step('bundling the console and the threads')
  const script = await prepareParts(join(work, 'parts'))
  for (const target of targets) {
    const name = `trivium-${VERSION}-${target.name}`
    step(`compiling ${name}`)
    await compile(script, target, join(out, name))
    files.push(name)
    packages.push(await pack(await writePlatformPackage(target, VERSION, join(out, name), work), out))
  }
  // After the platforms' packages, on which the first one depends.
  for (const write of [writeMainPackage, ...more]) packages.push(await pack(await write(VERSION, work), out))
  await writeFile(join(out, PACKAGES), packages.map((name) => `${name}\n`).join(''))
  const found = components(ROOT)
  await writeFile(join(out, 'sbom.cdx.json'), `${JSON.stringify(sbomOf(VERSION, found, new Date()), null, 2)}\n`)
  await copyFile(join(ROOT, 'NOTICE'), join(out, 'NOTICE'))
  files.push(...packages, 'sbom.cdx.json', 'NOTICE')
  await writeFile(join(out, 'SHA256SUMS'), await checksums(out, files))
  await rm(work, { recursive: true })
  step(`done: ${out}`)
}

/** As `sha256sum --check` reads it. */
async function checksums(folder: string, names: readonly string[]): Promise<string> {
  const lines: string[] = []
  for (const name of names) {
    const hash = new Bun.CryptoHasher('sha256')
    for await (const chunk of Bun.file(join(folder, name)).stream()) hash.update(chunk)
    lines.push(`${hash.digest('hex')}  ${name}\n`)
  }
  return lines.join('')
}

function readTargets(given: string | undefined): readonly Target[] {
  if (given === undefined) return [hostTarget()]
  if (given === 'all') return TARGETS
  return given.split(',').map((name) => {
    const found = TARGETS.find((target) => target.name === name)
    if (!found) stop(`unknown target ${name}; there are ${TARGETS.map((target) => target.name).join(', ')}, and all`)
    return found
  })
}

function stop(message: string): never {
  console.error(`build: ${message}`)
  process.exit(2)
}

const step = (text: string) => console.log(`build: ${text}`)

const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    release: { type: 'boolean', default: false },
    out: { type: 'string', default: 'dist' },
  },
})
await build(readTargets(values.target), values.release ? PUBLISHED : [], resolve(ROOT, values.out))
