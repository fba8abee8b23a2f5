// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax of the file
// Random valid configurations, with every field that the sections know, spread over a file, the environment and the store.
import type { SettingType } from '../src/config/settings/setting.ts'
import { SETTING_FIELDS, type SettingField } from '../src/config/settings/table.ts'
import { KIND_NAMES } from '../src/money/prices/token-kinds.ts'
import { cloudUpstream } from './generate-clouds.ts'
import { modelNames, ROUTE_CHANGES, requestLimits } from './generate-routes.ts'
import { signInSettings } from './generate-sign-in.ts'
import { type Entry, type Fields, type Generated, spread } from './spread-configuration.ts'

/** Mulberry32: small, seeded, and good enough to reach every branch. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export function generate(seed: number): Generated {
  const random = randomOf(seed)
  const chance = (share: number) => random() < share
  const integer = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
  const oneOf = <T>(list: readonly T[]): T => list[integer(0, list.length - 1)] as T
  const someOf = <T>(list: readonly T[], least = 0): T[] => {
    const found = list.filter(() => chance(0.5))
    return found.length >= least ? found : list.slice(0, least)
  }
  /** Each field with a probability of a half, made only then. */
  const some = (makers: { [name: string]: () => unknown }): Fields =>
    Object.fromEntries(Object.entries(makers).flatMap(([name, make]) => (chance(0.5) ? [[name, make()]] : [])))
  const text = () =>
    oneOf(['plain', 'Two words', '${NOT_A_REFERENCE}', '$HOME', '#hash', "it's: quoted", '007', 'null', 'on'])
  const secret = () => `secret-${integer(0, 1e9)}-${oneOf(['x', '${y}', '$'])}`
  const usd = () => oneOf(['0', '2', '2.50', '0.000000001', '12.125', 3, '1000000'])
  const multiplier = () => oneOf(['1', '0.5', '1.000001', 2])
  const duration = () => oneOf(['90s', '2m', '1500ms', '1h'])
  const days = () => oneOf(['30d', '12h', '400d'])
  const size = () => oneOf(['64MiB', '2GiB', '67108865B'])
  const boolean = () => chance(0.5)
  const address = () => oneOf(['ada@example.com', 'Bob+1@example.com'])
  const webhookSecret = () => `whsec_${Buffer.alloc(24, integer(0, 255)).toString('base64')}`

  const figures = (least: readonly string[] = []): Fields => ({
    ...some(Object.fromEntries(Object.values(KIND_NAMES).map((name) => [name, usd]))),
    ...Object.fromEntries(least.map((name) => [name, usd()])),
  })
  const longContext = () => {
    const first = { above: 200_000, ...figures(['input']) }
    return chance(0.5) ? first : [first, { above: 400_000, ...figures(['output']) }]
  }
  const tools = () => Object.fromEntries(someOf(['web_search', 'file_search', 'own_tool']).map((name) => [name, usd()]))
  const multipliers = () => Object.fromEntries(someOf(['priority', 'flex']).map((name) => [name, multiplier()]))
  const tokenPrice = (): Fields => {
    const long = chance(0.4)
    const table = () => ({
      ...figures(['input', 'output']),
      ...(long || chance(0.3) ? { long_context: longContext() } : {}),
    })
    return {
      ...figures(['input', 'output']),
      ...(long ? { long_context: longContext() } : {}),
      ...some({ tiers: () => ({ ...multipliers(), ...(chance(0.5) ? { batch: table() } : {}) }), tools }),
    }
  }
  const variants = (names: readonly string[]) => Object.fromEntries(someOf(names).map((name) => [name, usd()]))
  const RESOLUTIONS = ['720p', '1080p']
  const price: Record<string, () => Fields> = {
    text: tokenPrice,
    image: () =>
      chance(0.5)
        ? { per_image: usd(), ...some({ variants: () => variants(['1024x1024/high', '64x64', 'low']) }) }
        : { input: usd(), image_input: usd(), image_output: usd(), ...some({ cached_input: usd, output: usd }) },
    video: () => ({
      [oneOf(['per_second', 'per_video', 'per_million_tokens'])]: usd(),
      ...some({
        variants: () => variants(RESOLUTIONS),
        tiers: multipliers,
        draft: multiplier,
        silent: multiplier,
        tools,
      }),
    }),
    embedding: () => ({ input: usd() }),
  }
  const limits: Record<string, () => Fields> = {
    text: () => some({ context: () => 128_000, max_output: () => integer(1, 9999) }),
    image: () =>
      some({
        sizes: () =>
          chance(0.5)
            ? ['1024x1024', '2K']
            : {
                min: 64,
                max: 2048,
                ...some({ multiple_of: () => 16, max_ratio: () => 3, min_pixels: () => 9, max_pixels: () => 999_999 }),
              },
        qualities: () => ['low', 'high'],
        n: () => integer(1, 15),
      }),
    video: () =>
      some({
        seconds: () => [4, 12],
        default_seconds: () => 5,
        resolutions: () => RESOLUTIONS,
        default_resolution: () => '720p',
        ratios: () => ['16:9', '9:16'],
        images: () => integer(0, 4),
      }),
    embedding: () =>
      some({ inputs: () => integer(1, 2048), tokens: () => integer(1, 9999), dimensions: () => integer(1, 3072) }),
  }

  const sandboxOn = chance(0.5)
  const upstream = (id: string): { serves: string[]; value: Fields } => {
    const common = () =>
      some({
        max_concurrency: () => integer(1, 99),
        max_concurrency_per_key: () => integer(1, 99),
        limits: () => requestLimits({ oneOf, some, integer }),
        quota: () => 'shared-1',
        breaker: boolean,
        timeouts: () => some({ first_byte: duration, idle: duration, total: duration }),
        bills_on_abort: () => oneOf(['nothing', 'input']),
      })
    if (sandboxOn && chance(0.2)) {
      const value = { kind: 'sandbox', ...common(), ...some({ dialect: () => 'chat' }) }
      return { serves: 'dialect' in value ? ['text', 'embedding'] : ['text', 'image', 'video', 'embedding'], value }
    }
    if (chance(0.2)) {
      const value = { ...cloudUpstream({ oneOf, some, secret, address }), ...common() }
      return { serves: ['text'], value }
    }
    const proxy = chance(0.3)
    const others = {
      ...common(),
      ...some({ shared_objects: boolean, allow_private: boolean }),
      ...(proxy
        ? { proxy: oneOf(['http://proxy.example.com:3128', `http://user:${integer(1, 999)}@proxy.example.com`]) }
        : {}),
      ...(chance(0.3) ? { http: proxy ? '1.1' : oneOf(['1.1', '2']) } : {}),
      keys: chance(0.2) ? ['none'] : [secret(), ...(chance(0.3) ? [secret()] : [])],
    }
    if (chance(0.2)) {
      const value = { kind: 'moonshot', region: oneOf(['international', 'china']), ...others }
      return { serves: ['text'], value }
    }
    if (chance(0.2)) {
      const place = oneOf([
        { kind: 'vertex-claude', project: 'acme', ...some({ location: () => oneOf(['us', 'europe-west1']) }) },
        {
          kind: 'azure-classic',
          resource: 'acme',
          dialect: 'chat',
          ...some({ api_version: () => '2025-01-01-preview' }),
        },
      ])
      return { serves: ['text'], value: { ...place, ...others } }
    }
    if (chance(0.4)) {
      const value = {
        kind: 'openai',
        ...some({ base_url: () => 'https://eu.example.com/v1', dialect: () => 'chat' }),
        ...others,
      }
      return { serves: 'dialect' in value ? ['text', 'embedding'] : ['text', 'image', 'embedding'], value }
    }
    const [dialect, ending, serves] = oneOf([
      ['chat', '/v1', ['text', 'embedding']],
      ['responses', '/v1', ['text', 'image', 'embedding']],
      ['messages', '', ['text']],
      ['generate-content', '/v1beta', ['text', 'image', 'video', 'embedding']],
      ['images', '/v1', ['image']],
      ['video-tasks', '/api/v3', ['video']],
    ] as const)
    return {
      serves: [...serves],
      value: { dialect, base_url: `https://${id.toLowerCase()}.example.com${ending}`, ...others },
    }
  }

  const upstreams = ['main', 'Local.2', '3rd', 'openai'].slice(0, integer(1, 4)).map((id) => ({ id, ...upstream(id) }))
  /** A variable of the environment stands before what is stored under this name, and that vendor has no videos. */
  const isServed = (type: string, { id, serves }: (typeof upstreams)[number]) =>
    serves.includes(type) && !(id === 'openai' && type === 'video')
  const modelIds = ['gpt-x', 'claude:y', 'z/9', '42', 'last'].slice(0, integer(0, 5))
  const typed = modelIds.flatMap((id) => {
    const type = oneOf(['text', 'image', 'video', 'embedding'])
    const serving = upstreams.filter((each) => isServed(type, each))
    return serving.length === 0 ? [] : [{ id, type, serving }]
  })
  const ofType = (type: string) => typed.filter((model) => model.type === type).map(({ id }) => id)
  const models = typed.map(({ id, type, serving }, at): Entry => {
    const figure = price[type]?.()
    const route = (to: { id: string }) => ({
      upstream: to.id,
      // The same object as the price: a file may write it as an alias.
      ...some({
        model: () => oneOf(['gpt-4.1', 'llama', 'gpt-image-2', '4']),
        base_model: () => 'gpt-4.1',
        limits: () => requestLimits({ oneOf, some, integer }),
        priority: () => integer(0, 3),
        cost: () => figure,
      }),
      ...(chance(0.5) ? { weight: integer(1, 5) } : {}),
      ...(type === 'embedding' ? { same_vectors: true } : {}),
      ...(type === 'text' && chance(0.3) ? ROUTE_CHANGES : {}),
    })
    const fallbacks = ofType('text').filter((other) => other !== id)
    const later = typed.slice(at + 1).find((other) => other.type === type)
    const value = {
      ...(type === 'text' && chance(0.5) ? {} : { type }),
      routes: someOf(serving, 1).map(route),
      ...(chance(0.8) ? { price: figure } : {}),
      ...(chance(0.5) ? { limits: limits[type]?.() } : {}),
      ...(type === 'text' && fallbacks.length > 0 && chance(0.5) ? { fallbacks } : {}),
      ...some({
        ...modelNames(id, later?.id),
        capabilities: () => (type === 'text' ? someOf(['images', 'tools', 'reasoning']) : []),
      }),
    }
    return { kind: 'model', id, value }
  })
  const groups = (chance(0.6) ? ['default', 'staff', '9.x'].slice(0, integer(1, 3)) : []).map((id): Entry => {
    const names =
      modelIds.length > 0 && chance(0.5) && typed.length > 0 ? someOf(typed, 1).map((model) => model.id) : ['*']
    const priced = typed.filter((model) => names[0] === '*' || names.includes(model.id))
    const prices = () => Object.fromEntries(someOf(priced).map((model) => [model.id, price[model.type]?.()]))
    const more = some({ multiplier, prices, console: boolean, accounts: () => [address()] })
    return { kind: 'group', id, value: { models: names, ...more } }
  })

  const hasMail = chance(0.5)
  const media = integer(0, 3)
  const image = ofType('image')[0]
  const { provider, apiTokens } = signInSettings({ integer, some, text, secret, boolean })
  const webhook = () => ({
    url: `https://hooks.example.com/${integer(1, 9)}?token=${integer(1, 99)}`,
    secret: webhookSecret(),
  })
  const byType: Record<Exclude<SettingType, 'words' | 'word' | 'objects'>, () => unknown> = {
    boolean,
    // No setting takes more than eight at least.
    integer: () => integer(8, 9999),
    text,
    url: () => 'https://gw.example.com',
    path: () => './localhost.cert.pem',
    duration,
    'duration or off': () => oneOf(['off', days()]),
    size,
    usd,
    percent: () => `${integer(1, 100)}%`,
    texts: () => ['10.0.0.0/8', '2001:db8::/32'],
  }
  /** Settings whose values not only their type decides. */
  const own: Record<string, () => unknown> = {
    'server.metrics_token': () => `token-${integer(1e9, 9e9)}-${integer(1e9, 9e9)}`,
    'server.limits.body': () => '1MiB',
    'server.limits.upload': () => '2MiB',
    'server.limits.spool': () => '2GiB',
    'retention.tasks': days,
    'archive.after': () => `${integer(4, 24)}mo`,
    'console.name': () => text().replace(':', ''),
    'sign_in.providers': () => [provider('one'), ...(chance(0.5) ? [provider('two')] : [])],
    'attribution.required_tags': () => ['team'],
    'attribution.allowed_tags': () => ['env=prod', 'env=test'],
    'notices.percents': () => ['50%', '100%'],
    'notices.per_hour': () => integer(1, 1_000),
    'sign_in.password': () => true,
    'sign_in.session_age': () => '6h',
    'alerts.webhooks': () => [webhook(), ...(chance(0.5) ? [webhook()] : [])],
  }
  const settingOf = ({ id, type, words }: SettingField): unknown => {
    if (own[id]) return own[id]()
    if (type === 'word') return oneOf(words)
    if (type === 'words') return someOf(words)
    return type === 'objects' ? [] : byType[type]()
  }
  const single = SETTING_FIELDS.filter(
    ({ id }) => !/^(sandbox|media|mail|tools|server\.tls|alerts\.email|sign_in\.api_tokens)\b/.test(id),
  )
  const drawn = some(Object.fromEntries(single.map((field) => [field.id, () => settingOf(field)])))
  const settings: Fields = {
    ...(sandboxOn
      ? chance(0.5)
        ? { sandbox: true }
        : { 'sandbox.faults': boolean() }
      : chance(0.5)
        ? { sandbox: false }
        : {}),
    ...drawn,
    ...(chance(0.3) ? { 'server.tls.cert': './localhost.cert.pem', 'server.tls.key': './localhost.key.pem' } : {}),
    ...(hasMail
      ? { 'mail.url': `smtps://user:${integer(1, 99)}@smtp.example.com`, 'mail.from': 'Gateway <gw@example.com>' }
      : {}),
    ...(hasMail ? some({ 'mail.ca': () => './localhost.cert.pem', 'alerts.email': () => [address()] }) : {}),
    ...(media === 1 ? { 'media.disk': './media' } : {}),
    ...(media === 2
      ? {
          'media.s3.endpoint': 'https://s3.example.com',
          'media.s3.bucket': 'media',
          'media.s3.access_key': secret(),
          'media.s3.secret_key': secret(),
          ...some({ 'media.s3.region': () => 'eu-1' }),
        }
      : {}),
    // Their provider must be there, too.
    ...('sign_in.providers' in drawn && chance(0.5)
      ? { 'sign_in.api_tokens': [apiTokens(drawn['sign_in.providers'] as Fields[])] }
      : {}),
    ...(image !== undefined && chance(0.7) ? { 'tools.image_generation.model': image } : {}),
  }

  const entries: Entry[] = [
    ...Object.entries(settings).map(([id, value]): Entry => ({ kind: 'setting', id, value })),
    ...upstreams.map(({ id, value }): Entry => ({ kind: 'upstream', id, value })),
    ...models,
    ...groups,
  ]
  return { entries, ...spread(entries, random) }
}
