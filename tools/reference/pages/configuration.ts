// docs/reference/configuration.md: the settings of each section. Upstreams, models and groups are described by hand.
import { assemble } from '@trivium/gateway/config/assemble.ts'
import { SETTING_FIELDS, type SettingDefaults, type SettingField } from '@trivium/gateway/config/settings/table.ts'
import { endpointOf } from '@trivium/gateway/endpoints/index.ts'
import { MODEL_TYPES, modalityOf } from '@trivium/gateway/modalities/index.ts'
import type { Generated } from '../generated.ts'
import { code, codes, table } from '../markdown.ts'

const file = 'docs/reference/configuration.md'

/** Some defaults depend on whether there is an upstream besides the sandbox. */
const REAL = 'upstreams: [{ id: up, dialect: chat, base_url: "https://api.example.com/v1", keys: [none] }]'

function settingDefaults(source: string): SettingDefaults {
  const assembled = assemble({ source, file: 'trivium.yaml', env: {} })
  if (!assembled.config) throw new Error('the configuration of the defaults has mistakes')
  return assembled.defaults
}

const TYPES: Readonly<Record<string, string>> = {
  usd: 'USD',
  url: 'URL',
  texts: 'list of texts',
  objects: 'list, see below',
  words: 'list of names',
}

const typeOf = ({ type, words }: SettingField): string =>
  type === 'word' ? words.map(code).join(' or ') : (TYPES[type] ?? type)

function shown(value: unknown): string {
  if (value === null) return 'none'
  if (Array.isArray(value)) return value.length === 0 ? '`[]`' : codes(value.map(String))
  return code(String(value))
}

function defaultOf({ id, defaultIn }: SettingField, alone: SettingDefaults, real: SettingDefaults): string {
  const [first, second] = [shown(defaultIn(alone)), shown(defaultIn(real))]
  if (id === 'server.limits.memory') return `${first}, less on small machines`
  return first === second ? first : `${first}; with a real upstream ${second}`
}

function rowsOf(section: string): string[][] {
  const [alone, real] = [settingDefaults(''), settingDefaults(REAL)]
  return SETTING_FIELDS.filter(({ id }) => id.split('.')[0] === section).map((field) => [
    code(field.id),
    typeOf(field),
    defaultOf(field, alone, real),
    [
      field.description,
      ...(field.isFileOnly ? ['Only in the file.'] : []),
      ...(field.isSecret ? ['Secret.'] : []),
    ].join(' '),
  ])
}

const SECTIONS = [...new Set(SETTING_FIELDS.map(({ id }) => id.split('.')[0] ?? ''))]

/** Prices as `GET /v1/models` shows them. */
function sandboxRows(): string[][] {
  return MODEL_TYPES.map((type) => {
    const modality = modalityOf(type)
    const { id, price, limits } = modality.sandbox
    const model = { id, routes: [], price, priceVersion: '', limits }
    const shownPrice = modality.describe(model, modality.rateOf(price, 1_000_000n)).price
    const figures = Object.entries(shownPrice ?? {}).filter(([, usd]) => typeof usd === 'string')
    return [type, code(id), codes(figures.map(([name, usd]) => `${name}: ${usd}`))]
  })
}

/** Models that are sold by one unit, from what their endpoints declare. */
function unitPrices(): string {
  return MODEL_TYPES.flatMap((type) => {
    const { models, figures, words } = endpointOf(type)
    if (!models) return []
    const { units = {}, limits: names = {} } = words.en
    const [first] = figures.all
    const rows = [
      ...figures.all.map((figure) => [
        code(`price.${figure}`),
        figure === first ? 'one of these is required; `0` is free' : '',
        `USD ${units[figure] ?? figure}`,
      ]),
      ...Object.entries(models.limits).map(([name, most]) => [
        code(`limits.${name}`),
        'that of the built-in list',
        `${(names[name] ?? name).toLowerCase()} in one request, up to ${most.toLocaleString('en')}`,
      ]),
    ]
    const example = [
      'models:',
      `  - id: my-${type}`,
      `    type: ${type}`,
      `    routes: [{ upstream: sandbox, model: ${models.sandbox.id} }]`,
      `    ${models.examples.price}`,
      `    ${models.examples.limits}`,
    ]
    const fields = table(['Field', 'Default', 'Meaning'], rows)
    return [`#### Prices of ${type} models\n\n${fields}\n\n\`\`\`yaml\n${example.join('\n')}\n\`\`\``]
  }).join('\n\n')
}

export const CONFIGURATION_PAGE: readonly Generated[] = [
  ...SECTIONS.map((section) => ({
    file,
    section,
    text: () => table(['Setting', 'Type', 'Default', 'Meaning'], rowsOf(section)),
  })),
  { file, section: 'prices by unit', text: unitPrices },
  { file, section: 'sandbox models', text: () => table(['Type', 'Model', 'Price in USD'], sandboxRows()) },
]
