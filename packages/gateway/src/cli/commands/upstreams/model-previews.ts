// Previews of prices and routes, and the lists of upstreams' models, for people; and units of a preview from the command line.
import type { PreviewedRoute } from '../../../operate/previews/route-preview.ts'
import type { DiscoveredModels } from '../../../operate/upstreams/models.ts'
import { UsageError } from '../../errors.ts'
import { type Column, table } from '../../table.ts'

/** `input=1200,size=1024x1024,tools.web_search=2`. What is wrong with a unit, the operation says. */
export function unitsInput(written: string): Record<string, unknown> {
  const units: Record<string, unknown> = {}
  for (const part of written.split(',')) {
    const [, name, value] = /^([a-z0-9_.]+)=(.+)$/.exec(part.trim()) ?? []
    if (name === undefined || value === undefined)
      throw new UsageError(`--units must be a list such as input=1200,output=300, not '${written}'`)
    const read = /^\d{1,12}(\.\d{1,3})?$/.test(value) ? Number(value) : value
    const [section, tool] = name.split('.', 2)
    if (section === 'tools' && tool) units.tools = { ...(units.tools as object | undefined), [tool]: read }
    else units[name] = read
  }
  return units
}

export function showPrice(result: unknown): string {
  const { model, group, formula } = result as { model: string; group: string; formula: string }
  return `${model} in group ${group}:\n${formula}\n`
}

const ROUTE: readonly Column<PreviewedRoute['candidates'][number]>[] = [
  { title: 'model', cell: ({ model }) => model },
  { title: 'upstream', cell: ({ upstream }) => upstream },
  { title: 'there', cell: ({ upstream_model }) => upstream_model },
  { title: 'priority', cell: ({ priority }) => priority, right: true },
  { title: 'weight', cell: ({ weight }) => weight, right: true },
  { title: 'keys', cell: ({ keys, usable_keys }) => `${usable_keys} of ${keys}`, right: true },
  { title: 'share', cell: ({ share }) => `${Math.round(share * 100)} %`, right: true },
  {
    title: 'not taken because',
    cell: ({ key_states }) =>
      key_states
        .flatMap(({ key, reason, until }) =>
          reason === null ? [] : [`${key} ${reason}${until === null ? '' : ` until ${until}`}`],
        )
        .join('; '),
  },
]

export function showRoute(result: unknown): string {
  const { rejection, candidates } = result as PreviewedRoute
  const said = rejection === null ? '' : `${rejection.code}: ${rejection.message}\n`
  return candidates.length === 0 ? said : said + table(ROUTE, candidates)
}

type Listed = { state: string; model: string; ids: readonly string[]; type: string | null; price: unknown }
const MODEL: readonly Column<Listed>[] = [
  { title: 'model', cell: ({ model }) => model },
  { title: 'state', cell: ({ state }) => state },
  { title: 'here', cell: ({ ids }) => ids.join(',') },
  { title: 'type', cell: ({ type }) => type },
  { title: 'public price usd', cell: ({ price }) => (price === null ? null : figures(price)) },
]

const figures = (price: unknown): string =>
  Object.entries(price as object)
    .flatMap(([name, figure]) => (typeof figure === 'string' ? [`${name} ${figure}`] : []))
    .join(', ')

export function showModels(result: unknown): string {
  const { configured, unconfigured, unlisted, is_complete } = result as DiscoveredModels
  const known = (state: string) => (each: (typeof configured)[number]) => ({ ...each, state, type: null, price: null })
  const rows: Listed[] = [
    ...unlisted.map(known('no longer listed')),
    ...configured.map(known('configured')),
    ...unconfigured.map((each) => ({ ...each, state: 'not configured', ids: [] })),
  ]
  return table(MODEL, rows) + (is_complete ? '' : 'The list is longer than what is read of it.\n')
}
