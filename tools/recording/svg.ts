// Scenes of a terminal as one animated picture. It needs no script, so that code hosts show it; without motion it shows the last scene.

/** `prompt`: a command that is typed, `more`: its other lines; else a line that it printed. */
export type Line = { text: string; kind: 'prompt' | 'more' | 'output' | 'comment' }
export type Scene = { title: string; lines: readonly Line[] }

const COLUMNS = 116
/** As much of a terminal as is legible in a page. */
const ROWS = 20
const CHARACTER = 8.4
const LINE = 20
const EDGE = 20
const WIDTH = Math.ceil(COLUMNS * CHARACTER + 2 * EDGE)
const HEIGHT = ROWS * LINE + 2 * EDGE + 30

/** Seconds. */
const PAUSE = { prompt: 0.9, more: 0.12, output: 0.12, comment: 0.6, end: 6 }

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** A long line continues below, as in a terminal. */
const rowsOf = ({ text, kind }: Line): Line[] =>
  Array.from({ length: Math.max(1, Math.ceil(text.length / COLUMNS)) }, (_, row) => ({
    text: text.slice(row * COLUMNS, (row + 1) * COLUMNS),
    kind,
  }))

type Shown = { text: string; kind: Line['kind'] | 'title'; row: number; from: number; to: number; isLast: boolean }

function timed(scenes: readonly Scene[]): { shown: Shown[]; seconds: number } {
  let time = 0
  const shown = scenes.flatMap(({ title, lines }, index) => {
    const begin = time
    const isLast = index === scenes.length - 1
    const all = lines.flatMap(rowsOf)
    if (all.length > ROWS) throw new Error(`the scene '${title}' has ${all.length} rows; ${ROWS} fit`)
    // The first command is there at once: no scene begins with an empty terminal.
    const rows = all.map(({ text, kind }, row) => {
      if (row > 0) time += PAUSE[kind]
      return { text, kind, row, from: time, to: 0, isLast }
    })
    time += PAUSE.end
    const header = { text: title, kind: 'title' as const, row: -1, from: begin, to: 0, isLast }
    return [header, ...rows].map((line) => ({ ...line, to: time }))
  })
  return { shown, seconds: time }
}

export function renderScenes(scenes: readonly Scene[]): string {
  const { shown, seconds } = timed(scenes)
  const percent = (time: number): string => ((100 * time) / seconds).toFixed(2)
  const moments = new Map<string, string>()
  const lines = shown.map(({ text, kind, row, from, to, isLast }) => {
    const key = `${percent(from)} ${percent(to)}`
    const name = moments.get(key) ?? `m${moments.size}`
    moments.set(key, name)
    const y = EDGE + 36 + row * LINE + (kind === 'title' ? -6 : 0)
    const still = isLast ? ' z' : ''
    return `<text class="${kind} ${name}${still}" x="${EDGE}" y="${y}">${escaped(text)}</text>`
  })
  const frames = [...moments].map(([key, name]) => {
    const [from = '0', to = '100'] = key.split(' ')
    const isFirst = Number(from) === 0
    const before = isFirst ? '' : `0%,${from}%{opacity:0}`
    const begin = isFirst ? '0%' : `${(Number(from) + 0.01).toFixed(2)}%`
    const after = Number(to) >= 100 ? '' : `${(Number(to) + 0.01).toFixed(2)}%,100%{opacity:0}`
    return `@keyframes ${name}{${before}${begin},${to}%{opacity:1}${after}}.${name}{animation-name:${name}}`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(scenes.map(({ title }) => title).join('; '))}">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#d5d9e0;opacity:0;animation:${seconds.toFixed(2)}s step-end infinite}
.prompt,.more{fill:#fff;font-weight:600}.comment{fill:#8b94a3}.title{fill:#7cc4ff;font-weight:600}
@media (prefers-reduced-motion:reduce){text{animation:none}.z{opacity:1}}
${frames.join('\n')}
</style>
<rect width="${WIDTH}" height="${HEIGHT}" rx="10" fill="#14171c"/>
${lines.join('\n')}
</svg>
`
}
