// One prompt and one answer, as the official SDKs and the AI SDK read it.
import { readWith } from '../../test/support/sdk/readers.ts'
import { type Cell, DIALECTS, type Dialect, ENDPOINTS, must, show } from '../cell.ts'
import { clientOf, DIALECT_OF, MAJORS, PROVIDERS } from '../clients/ai-sdk.ts'
import { judgeTurns, LOOP_CLIENTS, promptsAbout } from '../clients/tool-loops/clients.ts'
import { SCENARIOS, UNSTORED } from './ai-sdk-scenarios.ts'

export const SDK_OF: Readonly<Record<Dialect, string>> = {
  chat: 'openai',
  responses: 'openai',
  messages: '@anthropic-ai/sdk',
  'generate-content': '@google/genai',
}

/** The last has no accumulator of its own. */
const MODES = { unstreamed: DIALECTS, raw: DIALECTS, helper: DIALECTS.slice(0, 3) } as const
const SAYS = { unstreamed: 'in one piece', raw: 'streamed', helper: "streamed, by the SDK's accumulator" } as const

type Try = { name: string; prompt: string; cap?: number; finish: string; reasoning?: true }
const TRIES: readonly Try[] = [
  { name: 'text and usage', prompt: 'Say 7 words', finish: 'completed' },
  { name: 'text in other scripts', prompt: 'Repeat after me: 北京 🙂 é', finish: 'completed' },
  { name: 'an answer that the token limit cuts says so', prompt: 'Say 300 words', cap: 20, finish: 'length' },
]

const official = DIALECTS.flatMap((dialect) =>
  (Object.keys(MODES) as (keyof typeof MODES)[])
    .filter((mode) => MODES[mode].includes(dialect))
    .flatMap((mode) =>
      TRIES.map(
        ({ name, prompt, finish, cap }): Cell => ({
          area: 'answers',
          dialect,
          client: SDK_OF[dialect],
          endpoint: ENDPOINTS[dialect],
          name: `${name}, ${SAYS[mode]}`,
          model: 'text',
          async run({ origin, key, model, mark }) {
            const asking = { origin, key, model, prompt: `${prompt} (${mark}).`, mode, ...(cap ? { cap } : {}) }
            const reading = await readWith(dialect, asking)
            must('answer' in reading, () => `the SDK could not read it: ${show(reading)}`)
            const { answer } = reading
            must(answer.text.trim() !== '', () => 'there is no text')
            must(answer.finish === finish, () => `the finish reason says ${answer.finish}, not ${finish}`)
            const { input = 0, output = 0 } = answer.usage ?? {}
            must(input > 0 && output > 0, () => `the usage is ${show(answer.usage)}`)
            if (cap !== undefined) must(output <= cap, () => `${output} tokens, and the limit was ${cap}`)
          },
        }),
      ),
    ),
)

const FORMS = [
  { streamed: false, form: 'in one piece' },
  { streamed: true, form: 'streamed' },
]

const aiSdk = MAJORS.flatMap((major) =>
  PROVIDERS.flatMap((provider) =>
    SCENARIOS.flatMap(({ name, request, judge }) =>
      FORMS.map(
        ({ streamed, form }): Cell => ({
          area: 'answers',
          dialect: DIALECT_OF[provider],
          client: `ai ${major}, ${provider}`,
          endpoint: ENDPOINTS[DIALECT_OF[provider]],
          name: `${name}, ${form}`,
          model: 'text',
          async run({ origin, key, model, mark }) {
            const client = await clientOf(provider, major, { origin, key, model })
            const prompt = `${request.prompt} (${mark}).`
            judge(await client.call({ ...request, prompt, providerOptions: UNSTORED, streamed }))
          },
        }),
      ),
    ),
  ),
)

const loops = LOOP_CLIENTS.flatMap(({ client, dialect, how, loop }) =>
  FORMS.map(
    ({ streamed, form }): Cell => ({
      area: 'tool loops',
      dialect,
      client,
      endpoint: ENDPOINTS[dialect],
      name: `two turns with a tool, continued ${how}, ${form}`,
      model: 'text',
      async run({ origin, key, model, mark }) {
        judgeTurns(await loop({ origin, key, model, streamed }, promptsAbout(`${mark}.`)))
      },
    }),
  ),
)

export const ANSWERS: readonly Cell[] = [...official, ...aiSdk, ...loops]
