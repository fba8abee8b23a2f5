// The chart, its examples, and what Helm makes of each, in test/fixtures/chart.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseAllDocuments } from 'yaml'

export const CHART = join(import.meta.dir, '../../deploy/chart')
const FIXTURES = join(import.meta.dir, '../fixtures/chart')

export type KubernetesObject = { apiVersion: string; kind: string; metadata: { name: string } } & Record<
  string,
  unknown
>

/** `values`: the path of its values. */
export type Example = { name: string; values: string; rendered: string }

export const EXAMPLES: readonly Example[] = readdirSync(join(CHART, 'examples')).map((file) => ({
  name: basename(file, '.yaml'),
  values: join(CHART, 'examples', file),
  rendered: join(FIXTURES, file),
}))

export function objectsIn(text: string): KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return (document.toJS() as KubernetesObject | null) ?? []
  })
}

/** The first line of what was rendered: of which chart and which values. */
export function originOf({ values }: Example): string {
  const files = ['Chart.yaml', 'values.yaml', 'values.schema.json', ...templates()].map((name) => join(CHART, name))
  const hash = createHash('sha256')
  for (const file of [...files, values]) hash.update(readFileSync(file)).update('\0')
  return `# Rendered by Helm from ${hash.digest('hex')}. Do not edit.`
}

const templates = (): string[] =>
  readdirSync(join(CHART, 'templates'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(CHART.length + 1))
    .sort()
