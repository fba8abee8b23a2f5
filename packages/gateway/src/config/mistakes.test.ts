// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax under test
// Every mistake is found, stands on its own line, and says what to write instead.
import { expect, test } from 'bun:test'
import { MODEL_TYPES } from '../modalities/index.ts'
import { BUILT_IN } from '../server/config.ts'
import { assemble } from './assemble.ts'
import { formatMistakes } from './format-mistakes.ts'

const load = (source: string, env = {}) => assemble({ source, file: '/etc/trivium.yaml', env }, BUILT_IN)
const lines = (source: string, env?: Record<string, string>) =>
  formatMistakes(load(source, env).mistakes).replaceAll('/etc/trivium.yaml:', '').split('\n')

const MANY = `sever: {}
server:
  public_url: gw.example.com
  trusted_proxies: [10.0.0.0/33]
  limits: { body: 32MB, in_flight: many }
  drain: 30
registration:
  open: maybe
  trial_credit: 1e1
retention: { responses: 30 days }
media: { disc: ./media }
upstreams:
  - id: one
    dialect: chat
    base_ulr: https://one.example.com/v1
    keys: ["none"]
  - id: two
    dialect: chat
    base_url: https://two.example.com
    keys: ["\${UNSET_KEY}"]
  - id: two
    dialect: messages
    base_url: https://three.example.com/v1
    keys: []
    timeouts: { idle: 0s }
models:
  - id: first
    routes: [{ upstream: oen }]
    price: { input: -1, output: .5 }
  - id: first
    price: { input: 1 }
  - id: films
    type: video
    price: {}
groups:
  - { id: default, models: [frist], multiplier: 1.0000001 }
  - models: ["*"]
`

test('a file with many mistakes: all are reported, in file order', () => {
  expect(lines(MANY)).toEqual([
    '1: unknown field "sever"; did you mean server?',
    '3: server.public_url: "gw.example.com" is not an http:// or https:// URL; write one such as https://gw.example.com',
    '4: server.trusted_proxies[0]: "10.0.0.0/33" is not a CIDR block; write one such as 10.0.0.0/8 or 2001:db8::/32',
    '5: server.limits.body: "32MB" is not a size; write a whole number and B, KiB, MiB or GiB, such as 32MiB',
    '5: server.limits.in_flight: expected a whole number from 1 to 1000000, not "many"',
    '6: server.drain: "30" is not a duration; write a whole number and ms, s, m, h or d, such as 120s',
    '8: registration.open: expected true or false, not "maybe"',
    '9: registration.trial_credit: "1e1" is not a valid amount in USD; write plain digits with at most 9 places after the point, such as 10',
    '10: retention.responses: "30 days" is not a duration; write a whole number and ms, s, m, h or d, such as 120s',
    '11: media: unknown field "disc"; did you mean disk?',
    '11: media: write disk or s3, such as media: { disk: ./media }',
    '15: upstreams[one]: unknown field "base_ulr"; did you mean base_url?',
    '19: upstreams[two].base_url: the base_url of a chat upstream ends in /v1, such as https://api.example.com/v1',
    '20: upstreams[two].keys[0]: the environment variable UNSET_KEY is not set',
    '21: upstreams[two]: duplicate upstream id; the first is on line 17',
    '23: upstreams[two].base_url: the base_url of a messages upstream has no /v1 at its end, such as https://api.example.com',
    '24: upstreams[two].keys: the list is empty; write keys: ["none"] if the upstream takes no key',
    '25: upstreams[two].timeouts.idle: "0s" is out of range; write a duration from 1ms to 24d',
    '28: models[first].routes[0].upstream: unknown upstream "oen"; did you mean one?',
    '29: models[first].price.input: "-1" is negative; write 0 or more, such as 0.25',
    '29: models[first].price.output: ".5" is not a valid amount in USD; write plain digits with at most 9 places after the point, such as 0.5',
    '30: models[first]: routes is missing; such as routes: [{ upstream: local, model: llama }]',
    '30: models[first]: duplicate model id; the first is on line 27',
    '31: models[first].price: output is missing; USD per million tokens; write output: 0 if it is free',
    '32: models[films]: routes is missing; such as routes: [{ upstream: local, model: llama }]',
    '34: models[films].price: per_second, per_video or per_million_tokens is missing; USD',
    '36: groups[default].models[0]: unknown model "frist"; did you mean first?',
    '36: groups[default].multiplier: "1.0000001" is not a valid multiplier; write plain digits with at most 6 places after the point, such as 1.5',
    '37: groups[1]: id is missing',
  ])
})

const upstream = (extra: string) =>
  `upstreams: [{ id: up, dialect: chat, base_url: "https://a.example.com/v1", keys: [none], ${extra} }]`
const kind = (fields: string) => `upstreams: [{ id: up, ${fields} }]`
const address = (dialect: string, url: string) =>
  `upstreams: [{ id: up, dialect: ${dialect}, base_url: "${url}", keys: [none] }]`
const model = (fields: string) => `models: [{ id: m, routes: [{ upstream: sandbox }], ${fields} }]`
const price = (fields: string) => model(`price: { input: 1, output: 1, ${fields} }`)
const media = (type: string, fields: string, more = '') =>
  `models: [{ id: m, type: ${type}, routes: [{ upstream: sandbox }], price: { ${fields} }, ${more} }]`
const limits = (fields: string) => media('image', 'per_image: 1', `limits: { ${fields} }`)
const tool = (id: string) => `tools: { image_generation: { model: ${id} } }`
const routed = (model: string, dialect: string, path: string) =>
  `upstreams: [{ id: up, dialect: ${dialect}, base_url: "https://a.example.com${path}", keys: [none] }]
models: [{ id: m, routes: [{ upstream: up }], ${model} }]`
const imageOn = (dialect: string, path: string) => routed('type: image, price: { per_image: 1 }', dialect, path)
const textOn = (dialect: string) => routed('price: { input: 1, output: 1 }', dialect, '/v1')
const IMAGE_LIMITS: [string, string, string][] = [
  ['a size that is none', limits('sizes: [large]'), 'limits.sizes[0]: expected a size such as 1024x1024'],
  ['a size of nothing', limits('sizes: ["0x9"]'), 'limits.sizes[0]: expected a size such as 1024x1024'],
  ['auto as a size', limits('sizes: [auto]'), 'limits.sizes[0]: expected a size such as 1024x1024'],
  ['no sizes', limits('sizes: []'), 'limits.sizes: the list is empty'],
  ['half a range', limits('sizes: { min: 64 }'), 'limits.sizes: max is missing; the longest side'],
  ['a range turned around', limits('sizes: { min: 99, max: 64 }'), 'limits.sizes: min is larger than max'],
  ['a range of sizes', limits('sizes: { min: 64x64, max: 99 }'), 'limits.sizes.min: expected a whole number from 1'],
  ['a quality that is none', limits('qualities: ["a b"]'), 'limits.qualities[0]: expected a word such as high'],
  ['no image at all', limits('n: 0'), 'limits.n: expected a whole number from 1 to 15'],
  ['too many images', limits('n: 16'), 'limits.n: expected a whole number from 1 to 15'],
]
const s3 = (more: string) =>
  `s3: { endpoint: "https://s3.example.com", bucket: pics, access_key: a, secret_key: b, ${more} }`
const own = (fields: string) => `${price('')}\ngroups: [{ id: default, models: ["*"], prices: { ${fields} } }]`

// [what, source, the one line expected (a part of it)]
const SINGLE: [string, string, string][] = [
  ['not a map', '- a', '1: expected fields'],
  ['a section of the wrong type', 'server: 3', '1: server: expected fields, such as server:'],
  ['a list that is a map', 'models: { id: x }', '1: models: expected a list'],
  ['an entry that is text', 'models:\n  - gpt', '2: models[0]: expected fields'],
  ['an empty entry', 'groups:\n  -\n', '2: groups[0]: this list entry is empty'],
  ['a field twice', 'sandbox: true\nsandbox: false', '2: sandbox: duplicate field; the first is on line 1'],
  ['a field name in another style', upstream('maxConcurrency: 1'), 'did you mean max_concurrency?'],
  ['an unknown field with nothing near', 'server: { xyzzy: 1 }', 'known fields: public_url, tls,'],
  ['a number where a word is expected', upstream('bills_on_abort: 1'), 'expected one of nothing, input, not "1"'],
  ['a list where a number is expected', upstream('max_concurrency: [1]'), 'expected a whole number from 1 to 1000000'],
  ['a fraction', upstream('max_concurrency: 1.5'), 'not "1.5"'],
  ['zero', upstream('max_concurrency: 0'), 'from 1 to 1000000, not "0"'],
  ['a boolean as a name', 'groups: [{ id: true, models: ["*"] }]', 'groups[0].id: expected text; if the word true'],
  ['a name with spaces', 'groups: [{ id: "a b", models: ["*"] }]', '"a b" cannot be a name'],
  ['a model named *', 'models: [{ id: "*", routes: [{ upstream: sandbox }] }]', '"*" cannot be a name'],
  [
    'a group twice',
    'groups:\n  - { id: a, models: ["*"] }\n  - { id: a, models: ["*"] }',
    '3: groups[a]: duplicate group id',
  ],
  ['a group without models', 'groups: [{ id: default, models: [] }]', 'the list is empty; write ["*"] for all models'],
  [
    'other upstream of the sandbox name',
    upstream('').replace('id: up', 'id: sandbox'),
    'the id sandbox is reserved for',
  ],
  ['disk and S3', `media: { disk: ./a, ${s3('')} }`, '1: media: disk and s3 exclude each other'],
  ['media nowhere', 'media: {}', '1: media: write disk or s3, such as media: { disk: ./media }'],
  ['S3 without a bucket', `media: { ${s3('').replace('bucket: pics, ', '')} }`, 'media.s3: bucket is missing'],
  [
    'a bucket with slashes',
    `media: { ${s3('').replace('pics', 'a/b')} }`,
    'media.s3.bucket: is not the name of a bucket',
  ],
  [
    'an S3 endpoint that is no URL',
    `media: { ${s3('').replace('https://', '')} }`,
    'media.s3.endpoint: "s3.example.com"',
  ],
  ['a spool for less than one upload', 'server: { limits: { upload: 5GiB } }', 'spool is smaller than upload'],
  ['a misspelt kind', kind('kind: opnai, keys: [k]'), 'kind: unknown kind "opnai"; did you mean openai?'],
  ['an unknown kind', kind('kind: acme, keys: [k]'), 'unknown kind "acme"; known kinds: openai, anthropic, '],
  ['a kind that needs a key', kind('kind: openai'), 'upstreams[up]: keys is missing'],
  [
    'a kind that needs an address',
    kind('kind: azure, keys: [k]'),
    'base_url is missing; Azure OpenAI needs your own URL, such as https://my-resource.openai.azure.com/openai/v1',
  ],
  [
    'an address of another shape than the kind has',
    kind('kind: azure, keys: [k], base_url: "https://a.openai.azure.com"'),
    'the base_url of kind azure ends in /openai/v1, such as https://my-resource.openai.azure.com/openai/v1',
  ],
  [
    'the address of one dialect where a kind has several',
    kind('kind: deepseek, keys: [k], base_url: "https://api.deepseek.com/v1/"'),
    'the base_url of kind deepseek has no /v1 at its end, such as https://api.deepseek.com',
  ],
  [
    'a dialect that the kind does not speak',
    kind('kind: openai, keys: [k], dialect: messages'),
    'dialect: expected one of responses, chat, images, not "messages"',
  ],
  [
    'no key',
    'upstreams: [{ id: up, dialect: chat, base_url: "http://a/v1" }]',
    'keys is missing; write keys: ["none"]',
  ],
  ['a key with a line end', upstream('').replace('none', '"a\\r\\nx: y"'), 'keys[0]: contains spaces, line breaks'],
  ['a version of HTTP that is not spoken', upstream('http: 3'), 'http: HTTP/3 is not supported'],
  ['HTTP/2 by its other name', upstream('http: 2.0'), 'http: write 2'],
  [
    'HTTP/2 through a proxy',
    upstream('http: 2, proxy: "http://p:3128"'),
    'http: HTTP/2 is not supported through a proxy',
  ],
  ['HTTP/2 without TLS', upstream('http: 2').replace('https:', 'http:'), 'http: HTTP/2 requires an https base_url'],
  ['a SOCKS proxy', upstream('proxy: "socks5://a"'), 'proxy: "socks5://a" is not an http:// or https:// URL'],
  ['a time-out beyond what timers can count', upstream('timeouts: { total: 25d }'), 'from 1ms to 24d'],
  ['chat without /v1', address('chat', 'https://a.example.com/'), 'ends in /v1'],
  ['chat with the whole path', address('chat', 'https://a.example.com/v1/chat/completions'), 'ends in /v1'],
  ['an address with a query', address('chat', 'https://a.example.com/v1?x=1'), 'must end before "?"'],
  ['an address with a password', address('chat', 'https://u:hunter2@a.example.com/v1'), 'must not contain a user name'],
  ['an address of another scheme', address('chat', 'ftp://a.example.com/v1'), 'is not an http:// or https:// URL'],
  ['an address without slashes', address('chat', 'http:a.example.com/v1'), 'is not an http:// or https:// URL'],
  ['a fallback that does not exist', model('fallbacks: [a]'), 'unknown model "a"'],
  ['a model as its own fallback', model('fallbacks: [m]'), 'a model cannot be its own fallback'],
  ['an unknown type', model('type: sound'), `type: expected one of ${MODEL_TYPES.join(', ')}, not "sound"`],
  [
    'limits of an image model',
    media('image', 'per_image: 1', 'limits: { context: 1 }'),
    'limits.context: counts tokens',
  ],
  ...IMAGE_LIMITS,
  ['fallbacks of an image', media('image', 'per_image: 1', 'fallbacks: [a]'), 'fallbacks: text models only have'],
  ['two prices of an image', media('image', 'per_image: 1, input: 1'), 'price: per_image and input cannot both be'],
  ['a token price with variants', media('image', 'variants: {}, input: 1'), 'price: variants and input cannot both be'],
  ['half a token price', media('image', 'input: 1, image_input: 1'), 'price: image_output is missing; USD per million'],
  ['an image by the second', media('image', 'per_image: 1, per_second: 1'), 'price.per_second: is for video models'],
  ['an image model without per_image', media('image', 'variants: { high: 1 }'), 'price: per_image is missing; USD'],
  [
    'an image variant of three parts',
    media('image', 'per_image: 1, variants: { "1x1/a/b": 1 }'),
    'is not a variant; write',
  ],
  ['an image size of nothing', media('image', 'per_image: 1, variants: { "0x9": 1 }'), '"0x9" is not a variant; write'],
  [
    'two variants that are one',
    media('image', 'per_image: 1, variants: { HD: 1, hd: 2 }'),
    'variants.hd: duplicate variant',
  ],
  ['a video model by the image', media('video', 'per_second: 1, per_image: 1'), 'price.per_image: is for image models'],
  [
    'two units of a video',
    media('video', 'per_second: 1, per_video: 1'),
    'per_second and per_video cannot both be the',
  ],
  ['a text model by the image', price('per_image: 1'), 'price.per_image: is for models of type image or video'],
  ['a price name in another style', price('cachedInput: 1'), 'unknown field "cachedInput"; did you mean cached_input?'],
  ['a float as a price', price('cache_write_1h: 1e-3'), '"1e-3" is not a valid amount in USD'],
  ['a negative price', price('reasoning: -1'), 'price.reasoning: "-1" is negative'],
  [
    'a long context of no length',
    price('long_context: { input: 1 }'),
    'long_context: above is missing; tokens of input',
  ],
  ['a long context without a price', price('long_context: { above: 9 }'), 'long_context: has no price of its own'],
  [
    'a long context twice',
    price('long_context: [{ above: 9, input: 1 }, { above: 9, input: 2 }]'),
    'two prices above 9',
  ],
  [
    'a long context misspelt',
    price('long_context: { abov: 9, input: 1 }'),
    'unknown field "abov"; did you mean above?',
  ],
  ['a tier misspelt', price('tiers: { priorty: 2 }'), 'unknown tier "priorty"; did you mean priority?'],
  [
    'the usual tier',
    price('tiers: { default: 2 }'),
    'tiers.default: is the default tier, which the price itself covers',
  ],
  [
    'the tier of the vendor’s choice',
    price('tiers: { auto: 2 }'),
    'tiers.auto: is not a tier: it lets the vendor choose',
  ],
  ['what cannot be priced', price('tiers: { background: 2 }'), 'tiers.background: cannot be priced'],
  ['a tier that is negative', price('tiers: { flex: -0.5 }'), '"-0.5" is negative'],
  [
    'a tier that is too exact',
    price('tiers: { flex: 0.5000001 }'),
    'is not a valid multiplier; write plain digits with at most 6',
  ],
  ['half a table of a tier', price('tiers: { flex: { input: 1 } }'), 'tiers.flex: output is missing'],
  [
    'a table of a tier without the long context',
    price('long_context: { above: 9, input: 2 }, tiers: { flex: { input: 1, output: 1 } }'),
    'tiers.flex: the price has long_context, so a tier with prices of its own needs it too',
  ],
  ['a tool misspelt', price('tools: { web_serch: 1 }'), 'unknown tool "web_serch"; did you mean web_search?'],
  ['a tool by another name', price('tools: { code_execution: 1 }'), 'did you mean code_interpreter?'],
  ['a tool that is another model', price('tools: { advisor: 1 }'), 'tools.advisor: cannot be priced'],
  ['a tool of no name', price('tools: { "web search!": 1 }'), 'tools.web search!:'],
  ['tools as a list', price('tools: [web_search]'), 'price.tools: expected fields, such as tools:'],
  ['a group’s price of nothing', own('m2: { input: 1, output: 1 }'), 'prices.m2: unknown model "m2"; did you mean m?'],
  ['half a price of a group', own('m: { input: 1 }'), 'groups[default].prices.m: output is missing'],
  [
    'a group’s price of what it does not have',
    own('m: { input: 1, output: 1 }').replace('["*"]', '[sandbox-text]'),
    'the group does not include the model "m"; add it to models, or remove its price',
  ],
  ['a limit below one', model('limits: { context: 0 }'), 'limits.context: expected a whole number from 1'],
  ['no routes', 'models: [{ id: m, routes: [] }]', 'routes: the list is empty; a model needs at least one route'],
  [
    'a weight below zero',
    'models: [{ id: m, routes: [{ upstream: sandbox, weight: -1 }] }]',
    'weight: expected a whole',
  ],
  ['a bad cost', 'models: [{ id: m, routes: [{ upstream: sandbox, cost: { input: 1 } }] }]', 'cost: output is missing'],
  [
    'a tool with an unknown model',
    tool('a'),
    'tools.image_generation.model: unknown model "a"; define it under models',
  ],
  ['a tool with a misspelt model', tool('sandbox-imag'), 'unknown model "sandbox-imag"; did you mean sandbox-image?'],
  ['a tool with a text model', tool('sandbox-text'), '"sandbox-text" is a text model; name a model of type image'],
  ['a tool without a model', 'tools: { image_generation: {} }', 'tools.image_generation: model is missing'],
  ['an unknown tool', 'tools: { image: { model: a } }', 'tools: unknown field "image"; known fields: image_generation'],
  ['an image model on a chat upstream', imageOn('chat', '/v1'), '"up" has the dialect chat; an image model needs'],
  ['an image model on a messages upstream', imageOn('messages', ''), '"up" has the dialect messages; an image model'],
  ['a text model on an images upstream', textOn('images'), '"up" has the dialect images; a text model needs'],
  ['a sandbox that is neither', 'sandbox: perhaps', 'sandbox: expected true, false or { faults: true }'],
  ['memory below body', 'server: { limits: { body: 2MiB, memory: 1MiB } }', 'memory is smaller than body'],
  ['a size without a unit', 'server: { limits: { body: 1048576 } }', '"1048576" is not a size'],
  ['a route to the sandbox that is off', `sandbox: false\n${model('')}`, 'the sandbox is off; write sandbox: true'],
  [
    'a sandbox upstream while it is off',
    'sandbox: false\nupstreams: [{ id: s, kind: sandbox }]',
    '2: upstreams[s]: kind: sandbox, but',
  ],
  [
    'a sandbox upstream with an address',
    'upstreams: [{ id: s, kind: sandbox, base_url: "http://a/v1" }]',
    'no such setting',
  ],
  ['a missing certificate', 'server:\n  tls: { cert: ./gone.pem }', '2: server.tls: key is missing'],
  ['an open bracket', 'a: [1', '1: not valid YAML'],
  ['a tab', 'server:\n\tdrain: 1s', '2: not valid YAML: tabs cannot indent'],
  ['two documents', 'sandbox: true\n---\nsandbox: true', '2: not valid YAML: only one document'],
  [
    'a bare reference in brackets',
    `upstreams:\n  - { keys: [\${KEY}] }`,
    `2: not valid YAML: a closing quote or bracket, a comma or a ":" is missing; inside [ ] and { }, write "\${NAME}" in quotes`,
  ],
  ['an alias of nothing', 'server: *nothing', '1: *nothing: no &nothing is defined above it'],
  ['an alias inside itself', 'models: &m [*m]', '1: an alias is used inside its own anchor'],
  ['a merge inside itself', 'server: &s { <<: *s }', '1: an alias is used inside its own anchor'],
  ['a merge of text', 'server: { <<: text }', '1: server: << takes a map'],
  ['a tag', 'sandbox: !secret true', '1: unsupported tag !secret'],
  ['a default', `server: { drain: "\${DRAIN:-3s}" }`, 'write ${NAME}, ${file:PATH}, ${vault:PATH#KEY}, or'],
  ['a reference without an end', `server: { drain: "\${DRAIN" }`, 'is not a reference'],
]

test.each(SINGLE)('%s', (_, source, expected) => {
  const found = lines(source)
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(expected)
})

// [dialect, good endings, bad endings]
const ENDINGS: [string, string[], string[]][] = [
  ['chat', ['/v1', '/v1/', '/proxy/v1'], ['', '/', '/v2', '/v1beta', '/v1/chat/completions', '/xv1/v1/x']],
  ['responses', ['/v1'], ['', '/v1/responses']],
  ['images', ['/v1'], ['', '/images']],
  ['messages', ['', '/', '/anthropic'], ['/v1', '/v1/', '/v1/messages']],
  ['generate-content', ['/v1beta'], ['', '/v1']],
  ['video-tasks', ['/api/v3'], ['', '/v3', '/api/v3/tasks']],
]

test.each(ENDINGS)('the base_url of dialect %s', (dialect, good, bad) => {
  const complains = (ending: string) =>
    lines(address(dialect, `https://a.example.com${ending}`)).some((line) => line.includes(`base_url of a ${dialect}`))
  expect(good.filter(complains)).toEqual([])
  expect(bad.filter((ending) => !complains(ending))).toEqual([])
})

test('messages contain no secrets', () => {
  const source = `upstreams:
  - { id: a, dialect: chat, base_url: "https://u:hunter2@a.example.com/v1", keys: ["hunter2 x", "\${SECRET}"] }
  - { id: b, dialect: chat, base_url: "\${SECRET}", keys: [k], proxy: "socks://u:hunter2@p" }
  - { id: c, max_concurrency: "\${SECRET}" }
mail: { url: "http://u:hunter2@a", from: "hunter2" }
`
  const text = lines(source, { SECRET: 'hunter2\nhunter2' }).join('\n')
  expect(text).toContain('upstreams[b].proxy')
  expect(text).not.toContain('hunter2')
  expect(lines(`upstreams:\n  - keys: ["sk-hunter2"] sk-hunter2: 1\n  keys: 'hunter2' hunter2`).join()).not.toContain(
    'hunter2',
  )
})

test('a mistake behind an anchor is reported once; equal mistakes on one line are both reported', () => {
  const anchored = `upstreams:
  - { id: a, dialect: chat, base_url: "http://a/v1", keys: &keys ["\${UNSET}"], timeouts: &slow { idle: 5, total: 5 } }
  - { id: b, dialect: chat, base_url: "http://b/v1", keys: *keys, timeouts: *slow }
`
  const message = '"5" is not a duration; write a whole number and ms, s, m, h or d, such as 120s'
  expect(lines(anchored)).toEqual([
    '2: upstreams[a].keys[0]: the environment variable UNSET is not set',
    `2: upstreams[a].timeouts.idle: ${message}`,
    `2: upstreams[a].timeouts.total: ${message}`,
  ])
})

test('a CIDR block with host bits set is a mistake: it would trust unintended addresses', () => {
  expect(lines('server: { trusted_proxies: [10.1.2.3/8, 192.0.2.1, "2001:db8::/32"] }')).toEqual([
    '1: server.trusted_proxies[0]: "10.1.2.3/8" is not the start of its block: write 10.0.0.0/8',
  ])
})
