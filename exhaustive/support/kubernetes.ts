// What Kubernetes and the Prometheus Operator would reject in an object: their schemas check values, their types find unknown fields.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubernetesObject } from '../../test/support/chart.ts'

const ROOT = join(import.meta.dir, '../..')
const MODULES = join(import.meta.dir, '../node_modules')

const moduleOf = ({ apiVersion }: KubernetesObject): string =>
  apiVersion.startsWith('monitoring.coreos.com/')
    ? `@kubernetes-models/prometheus-operator/${apiVersion}`
    : `kubernetes-models/${apiVersion}`

export async function mistakesOf(objects: readonly KubernetesObject[]): Promise<string[]> {
  const wrongValues = await Promise.all(objects.map(wrongValueOf))
  return [...wrongValues.flat(), ...unknownFields(objects)]
}

type Model = new (object: KubernetesObject) => { validate(): void }

async function wrongValueOf(object: KubernetesObject): Promise<string[]> {
  const models = (await import(join(MODULES, moduleOf(object), 'index.js'))) as Record<string, Model | undefined>
  const Model = models[object.kind]
  if (Model === undefined) return [`${object.apiVersion} has no ${object.kind}`]
  try {
    new Model(object).validate()
    return []
  } catch (error) {
    return [`${object.kind}: ${error instanceof Error ? error.message : error}`]
  }
}

/** A schema of Kubernetes allows fields that it does not know, and the server drops them; a literal of a type does not. */
function unknownFields(objects: readonly KubernetesObject[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-kubernetes-'))
  try {
    symlinkSync(MODULES, join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const lines = objects.map(
      (object, index) =>
        `import type { I${object.kind} as Type${index} } from '${moduleOf(object)}'\n` +
        `export const object${index}: Type${index} = ${JSON.stringify(object)}`,
    )
    writeFileSync(join(folder, 'objects.ts'), lines.join('\n'))
    const compiler = ['node', join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck']
    const options = ['--types', '', '--lib', 'ES2023,DOM', '--module', 'nodenext', '--ignoreConfig', 'objects.ts']
    const { exitCode, stdout } = Bun.spawnSync([...compiler, ...options], { cwd: folder })
    return exitCode === 0 ? [] : `${stdout}`.trim().split('\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
