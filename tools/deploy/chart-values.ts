// deploy/chart/README.md: the values of the chart, as values.yaml explains them.
import { isMap, type Node, type Pair, parseDocument, type Scalar, stringify, type YAMLMap } from 'yaml'
import { type Generated, onDisk } from '../reference/generated.ts'
import { code, table } from '../reference/markdown.ts'

const VALUES = 'deploy/chart/values.yaml'

type Row = { path: string; fallback: string; meaning: string }

/** A value with a comment is a row; what has none belongs to the row of what contains it, or it contains rows. */
function rowsOf(map: YAMLMap, path = ''): Row[] {
  return (map.items as Pair<Scalar<string>, Node>[]).flatMap(({ key, value }, index): Row[] => {
    // The comment above the first item of a map belongs to the map.
    const comment = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined)
    const name = `${path}${key.value}`
    if (comment != null && value !== null) return [{ path: name, fallback: written(value), meaning: comment.trim() }]
    if (isMap(value)) return rowsOf(value as YAMLMap, `${name}.`)
    throw new Error(`${VALUES}: ${name} has no comment`)
  })
}

const written = (value: Node): string => {
  const text = stringify(value.toJSON(), { collectionStyle: 'flow', lineWidth: 0 }).trim()
  return text === '""' ? 'none' : code(text)
}

export function chartValues(): Row[] {
  const document = parseDocument(onDisk(VALUES) ?? '')
  if (!isMap(document.contents)) throw new Error(`${VALUES} is not a map`)
  return rowsOf(document.contents as YAMLMap)
}

export const CHART_PAGE: readonly Generated[] = [
  {
    file: 'deploy/chart/README.md',
    section: 'values',
    text: () =>
      table(
        ['Value', 'Default', 'Meaning'],
        chartValues().map(({ path, fallback, meaning }) => [code(path), fallback, meaning]),
      ),
  },
]
