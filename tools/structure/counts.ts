// `npm run counts`: figures by which to see whether the code grows where it should not. No test holds them but the allocations.
import { countAllocations } from '../../test/support/gateway/count-allocations.ts'
import { isTest, read, roomOf, sources } from './sources.ts'

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** How many files a how-to of docs/contribute/ says that it takes, else how many its table or its steps name. */
function filesByHowTo(): [string, number][] {
  const pages = ['adding', 'console'].map((page) => read(`docs/contribute/${page}.md`))
  const sections = pages.flatMap((page) => page.split(/^## (?=Add )/m).slice(1))
  return sections.map((section) => {
    const [title = ''] = section.split('\n', 1)
    const [text = ''] = section.split(/^## /m)
    const said = /\b(\d+|[a-z]+) (?:files|edits)\b/i.exec(text)?.[1]?.toLowerCase() ?? ''
    const count = NUMBERS.includes(said) ? NUMBERS.indexOf(said) + 1 : Number(said || Number.NaN)
    const rows = [...text.matchAll(/^\| `([^`]+)`/gm)]
    const named = rows.length > 0 ? rows : [...text.matchAll(/`([\w<>./*-]+\.(?:tsx?|md|sql))`/g)]
    return [title, count || new Set(named.map(([, name]) => name)).size]
  })
}

/** Lines of product source, tests aside. */
function linesByRoom(): [string, number][] {
  const files = sources('packages').filter((path) => /^packages\/[^/]+\/src\//.test(path) && !isTest(path))
  const rooms = Map.groupBy(files, roomOf)
  const lines = [...rooms].map(([room, paths]): [string, number] => [
    room,
    paths.reduce((sum, path) => sum + read(path).split('\n').length - 1, 0),
  ])
  return lines.sort(([, a], [, b]) => b - a)
}

function print(title: string, rows: readonly (readonly [string, number])[]): void {
  console.log(`\n${title}`)
  for (const [name, count] of rows) console.log(`${count.toLocaleString('en').padStart(9)}  ${name}`)
}

const lines = linesByRoom()
print('Files that a how-to names', filesByHowTo())
print('Lines of product source', [...lines, ['in all', lines.reduce((sum, [, count]) => sum + count, 0)]])
const allocations = await countAllocations({ TRIVIUM_LOG: 'off' })
print(
  'Allocations of a small request, with log and traces off',
  Object.entries(allocations).map(([name, count]) => [name, Math.round(count * 10) / 10] as const),
)
