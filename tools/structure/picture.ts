// The picture in ARCHITECTURE.md: the boxes that rooms lie in, and which box imports which. Arrows come from the imports of the code.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Generated, ROOT } from '../reference/generated.ts'
import { GATEWAY, importsOf, isTest, roomOf, sources } from './sources.ts'

/** `row`: from the top. Two boxes of one row stand side by side, the `right` one and the other. */
type Box = { title: string; says: string; rooms: readonly string[]; row: number; right?: boolean }

/** A room with a `journey.ts` that is named nowhere lies in the box of `text`. */
const BOXES: readonly Box[] = [
  { title: 'Console', says: 'the web app', rooms: ['console'], row: 0 },
  {
    title: 'Server',
    says: 'puts everything together',
    rooms: [
      ...['main.ts', 'server', 'app.ts', 'routes.ts', 'handler.ts', 'handlers', 'process', 'startup', 'cli', 'jobs'],
      ...['backup', 'openapi', 'console-files'],
    ],
    row: 0,
    right: true,
  },
  {
    title: 'Operations',
    says: 'what holders and operators do, and their APIs',
    rooms: [
      'operate',
      'admin-api',
      'console-api',
      'http-api',
      'compatibility',
      'alerts',
      'notices',
      'mail',
      'moving-in',
    ],
    row: 1,
  },
  {
    title: 'Journeys',
    says: 'what differs from one kind of call to the next',
    rooms: ['text', 'images', 'videos', 'tasks', 'conversations', 'background', 'image-tool', 'token-counting'],
    row: 2,
  },
  {
    title: 'Paid call',
    says: 'one path for all that costs: admit, hold, call, settle',
    rooms: ['paid-call', 'routing', 'overload', 'media'],
    row: 3,
  },
  {
    title: 'Configuration and access',
    says: 'what is offered, at which price, to whom, by which upstream',
    rooms: ['access', 'catalogue', 'upstreams', 'config', 'modalities', 'endpoints', 'yaml', 'request'],
    row: 4,
  },
  {
    title: 'Money and storage',
    says: 'the ledger as a pure machine, two engines, what is observed',
    rooms: ['money', 'storage', 'observe', 'sharing', 'bytes'],
    row: 5,
  },
  {
    title: 'Packages',
    says: 'wire formats without I/O, HTTP/1.1 on sockets, sandbox models',
    rooms: ['protocol', 'http', 'sandbox'],
    row: 6,
  },
]

const [WIDTH, BOX, ROW, GAP, EDGE] = [860, 76, 106, 24, 12]

type Arrow = readonly [from: Box, to: Box]

function boxOf(room: string): Box {
  const isJourney = existsSync(join(ROOT, GATEWAY, room, 'journey.ts'))
  const named = (name: string) => BOXES.find(({ rooms }) => rooms.includes(name))
  const box = named(room) ?? (isJourney ? named('text') : undefined)
  if (!box) throw new Error(`${room} lies in no box of the picture in ARCHITECTURE.md: add it to ${import.meta.file}`)
  return box
}

/** Imports between boxes, without those that follow from others. */
function arrowsOf(files: readonly string[]): Arrow[] {
  const below = new Map(BOXES.map((box) => [box, new Set<Box>()]))
  for (const path of files)
    for (const target of importsOf(path).filter((name) => name.startsWith('packages/'))) {
      const [from, to] = [boxOf(roomOf(path)), boxOf(roomOf(target))]
      if (from === to) continue
      if (to.row <= from.row) throw new Error(`${path} imports ${target}: ${to.title} lies above ${from.title}`)
      below.get(from)?.add(to)
    }
  const reaches = (from: Box, to: Box): boolean =>
    [...(below.get(from) ?? [])].some((next) => next === to || reaches(next, to))
  return [...below].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reaches(other, to)))
      .map((to): Arrow => [from, to]),
  )
}

const isHalf = ({ row }: Box): boolean => BOXES.filter((box) => box.row === row).length > 1
const widthOf = (box: Box): number => (isHalf(box) ? (WIDTH - 2 * EDGE - GAP) / 2 : WIDTH - 2 * EDGE)
const leftOf = (box: Box): number => EDGE + (box.right ? widthOf(box) + GAP : 0)
const topOf = ({ row }: Box): number => EDGE + row * ROW

function boxText(box: Box, rooms: readonly string[]): string {
  const [x, y] = [leftOf(box), topOf(box)]
  const lines: string[] = []
  for (const room of rooms) {
    const longer = lines.length > 0 ? `${lines.at(-1)}  ${room}` : room
    if (lines.length > 0 && longer.length * 6.9 < widthOf(box) - 24) lines[lines.length - 1] = longer
    else lines.push(room)
  }
  return [
    `<rect x="${x}" y="${y}" width="${widthOf(box)}" height="${BOX}" rx="8" class="box"/>`,
    `<text x="${x + 12}" y="${y + 22}"><tspan class="title">${box.title}</tspan><tspan class="says" dx="10">${box.says}</tspan></text>`,
    ...lines.map((line, index) => `<text x="${x + 12}" y="${y + 44 + 18 * index}" class="rooms">${line}</text>`),
  ].join('\n')
}

/** A straight line down from the narrower of the two boxes. */
function arrowLine([from, to]: Arrow): string {
  const narrow = isHalf(from) ? from : to
  const x = leftOf(narrow) + widthOf(narrow) / 2
  return `<line x1="${x}" y1="${topOf(from) + BOX}" x2="${x}" y2="${topOf(to)}" class="arrow"/>`
}

function picture(): string {
  const files = sources('packages').filter((path) => /^packages\/[^/]+\/src\//.test(path) && !isTest(path))
  const rooms = [...new Set(files.map(roomOf))].sort()
  const inside = Map.groupBy(rooms, boxOf)
  const height = EDGE * 2 + BOX + ROW * Math.max(...BOXES.map(({ row }) => row))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>The boxes of the code: each imports those below it</title>
<style>.box{fill:#fff;stroke:#64748b}.title{font-weight:600;font-size:15px;fill:#0f172a}.says{fill:#475569}.rooms{fill:#334155;font-family:ui-monospace,monospace;font-size:11.5px;white-space:pre}.arrow{stroke:#475569;stroke-width:1.5;marker-end:url(#head)}</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#475569"/></marker></defs>
<rect width="${WIDTH}" height="${height}" fill="#f8fafc"/>
${BOXES.map((box) => boxText(box, inside.get(box) ?? [])).join('\n')}
${arrowsOf(files).map(arrowLine).join('\n')}
</svg>`
}

export const ARCHITECTURE_PICTURE: readonly Generated[] = [{ file: 'docs/images/architecture.svg', text: picture }]
