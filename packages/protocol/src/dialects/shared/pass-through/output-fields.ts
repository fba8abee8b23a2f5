// Fields by which services also bound or multiply their output, besides the names that a dialect has for it. Such a service
// may obey them before the dialect's own cap (llama.cpp prefers n_predict to max_tokens), so none of them may ask for more
// than the gateway holds funds for.

import { isObject } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editedObject, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, type JsonField, scanObject } from '../../../framing/json/json-scan.ts'
import { foldCase } from './known-names.ts'

/**
 * `cap`: the most tokens of an answer. `budget`: those of its reasoning, where 0 is none. `floor`: the fewest. `count`: how many answers are made. `lift`: lets an answer exceed
 * its cap. `holder`: an object with such fields in it. `wrapper`: an object whose members some services merge into the request.
 */
type FieldKind = 'cap' | 'budget' | 'floor' | 'count' | 'lift' | 'holder' | 'wrapper'

const NAMES: Readonly<Record<FieldKind, readonly string[]>> = {
  cap: [
    'max_tokens',
    'max_completion_tokens',
    'max_output_tokens',
    'maxOutputTokens',
    'maxTokens',
    // llama.cpp; Ollama; Hugging Face and text-generation-webui; TabbyAPI and KoboldCpp; Llama on Bedrock.
    'n_predict',
    'num_predict',
    'max_new_tokens',
    'max_length',
    'max_gen_len',
    // The older protocol of Anthropic; NeMo and Megatron; TensorRT-LLM; FastDeploy.
    'max_tokens_to_sample',
    'tokens_to_generate',
    'max_tokens_to_generate',
    'num_tokens_to_generate',
    'request_output_len',
    'output_len',
    'max_dec_len',
    'max_generated_tokens',
    'max_decoded_tokens',
    'max_generation_length',
    'maxNewTokens',
    'max_gen_tokens',
  ],
  // Qwen, whose cap leaves reasoning out; FastDeploy; llama.cpp and others.
  budget: [
    'thinking_budget',
    'reasoning_max_tokens',
    'reasoning_budget',
    'thinking_token_budget',
    'max_reasoning_tokens',
  ],
  // vLLM, SGLang, TabbyAPI, Hugging Face.
  floor: ['min_tokens', 'min_length', 'min_new_tokens', 'min_completion_tokens', 'min_output_tokens', 'min_dec_len'],
  // vLLM and Hugging Face; llama.cpp, which prefers n_cmpl to n.
  count: ['n', 'best_of', 'n_cmpl', 'num_return_sequences', 'num_completions', 'candidate_count', 'candidateCount'],
  // text-generation-webui: as much as the context has room for.
  lift: ['auto_max_new_tokens'],
  holder: ['options', 'parameters', 'sampling_params', 'generation_config', 'generationConfig'],
  wrapper: ['extra_body'],
}

/** All of them, for comparisons of names. */
export const OUTPUT_FIELDS: readonly string[] = Object.values(NAMES).flat()

/** Services written in Go read names in any case. */
const folded = (name: string): string => (/[^a-z0-9_]/.test(name) ? foldCase(name) : name)

const KINDS: ReadonlyMap<string, FieldKind> = new Map(
  (Object.keys(NAMES) as FieldKind[]).flatMap((kind) =>
    NAMES[kind].map((name): [string, FieldKind] => [folded(name), kind]),
  ),
)

const kindOf = (name: string): FieldKind | undefined => KINDS.get(folded(name))

/** The only member of `extra_body` that a service documents for the wire: Google's, which bounds nothing. */
const KEPT_IN_WRAPPER: ReadonlySet<string> = new Set(['google'])

/** Whether some service would merge members into the request that nobody has read: bounds, options with a price, other models. */
export function mergesMembers(name: string, value: unknown): boolean {
  if (foldCase(name).replaceAll('_', '') !== 'extrabody' || value === undefined || value === null) return false
  return !isObject(value) || Object.keys(value).some((member) => !KEPT_IN_WRAPPER.has(member))
}

/** One such field of a request; `holder`: the top-level object that it stands in. */
export type OutputField = {
  name: string
  holder: string | undefined
  kind: Exclude<FieldKind, 'holder'>
  value: number
}

export const pathOf = ({ name, holder }: OutputField): string => (holder === undefined ? name : `${holder}.${name}`)

const NONE: readonly OutputField[] = []

type Body = { bytes: Uint8Array; codec: Codec }

/** Those among the top-level fields of a body. `own`: what the dialect itself means by them is judged elsewhere. */
export function outputFieldsIn(fields: readonly JsonField[], own: ReadonlySet<string>, body: Body) {
  let found: OutputField[] | undefined
  for (const field of fields) {
    const kind = kindOf(field.name)
    if (kind === undefined || own.has(field.name)) continue
    found ??= []
    if (kind === 'holder' || kind === 'wrapper') found.push(...membersOf(field, kind, body))
    else if (isGiven(field)) found.push({ name: field.name, holder: undefined, kind, value: numberAt(field, body) })
  }
  return found ?? NONE
}

const isGiven = ({ kind }: JsonField): boolean => kind !== 'null'

function membersOf(holder: JsonField, kind: 'holder' | 'wrapper', { bytes, codec }: Body): OutputField[] {
  if (holder.kind !== 'object') return []
  const inner = bytes.subarray(holder.start, holder.end)
  const scan = scanObject(inner, codec)
  // If a name occurs twice, it is unknown which one the vendor reads.
  if (!scan.ok) return [{ name: holder.name, holder: undefined, kind: 'wrapper', value: Number.NaN }]
  return scan.fields.filter(isGiven).flatMap((field): OutputField[] => {
    const known = kindOf(field.name)
    const value = numberAt(field, { bytes: inner, codec })
    if (kind === 'wrapper') {
      const isKept = KEPT_IN_WRAPPER.has(field.name)
      return isKept ? [] : [{ name: field.name, holder: holder.name, kind: 'wrapper', value }]
    }
    const isBound = known !== undefined && known !== 'holder' && known !== 'wrapper'
    return isBound ? [{ name: field.name, holder: holder.name, kind: known, value }] : []
  })
}

/** NaN for what is no number. */
const numberAt = ({ kind, start, end }: JsonField, { bytes, codec }: Body): number =>
  kind === 'number' ? Number(codec.decode(bytes, start, end)) : kind === 'false' ? 0 : Number.NaN

/** What a request may ask for: tokens of each answer, which may be without bounds, and answers. */
export type OutputBounds = { cap: number; choices: number }

/** What must become of a field: a number in its place, taken out, or (undefined) nothing. */
export function boundFor({ kind, value }: OutputField, { cap, choices }: OutputBounds): number | 'removed' | undefined {
  switch (kind) {
    case 'cap':
      // Zero and less mean «without end» to some services.
      return cap === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 1 && value <= cap)
        ? undefined
        : cap
    case 'budget':
      return cap === Number.POSITIVE_INFINITY || (value >= 0 && value <= cap) ? undefined : cap
    case 'floor':
      return value <= cap ? undefined : 'removed'
    case 'count':
      return Number.isInteger(value) && value >= 1 && value <= choices ? undefined : 'removed'
    case 'lift':
      return value === 0 ? undefined : 'removed'
    case 'wrapper':
      return 'removed'
  }
}

/** Adds what keeps these fields of a body within the bounds. */
export function boundOutput(
  { bytes, scan, codec }: Body & { scan: { fields: readonly JsonField[] } },
  into: FieldEdits,
  fields: readonly OutputField[],
  bounds: OutputBounds,
): FieldEdits {
  const removed: string[] = []
  const inside = new Map<string, FieldEdits & { remove: string[] }>()
  for (const field of fields) {
    const bound = boundFor(field, bounds)
    if (bound === undefined) continue
    if (field.holder === undefined) {
      if (bound === 'removed') removed.push(field.name)
      else setField(into, field.name, String(bound))
      continue
    }
    const edits = inside.get(field.holder) ?? { set: [], remove: [] }
    if (bound === 'removed') edits.remove.push(field.name)
    else setField(edits, field.name, String(bound))
    inside.set(field.holder, edits)
  }
  for (const [holder, edits] of inside) {
    const range = fieldNamed(scan.fields, holder)
    const edited = range && editedObject(bytes, range, edits, codec)
    if (edited) setField(into, holder, edited)
  }
  return removed.length === 0 ? into : { set: into.set, remove: [...into.remove, ...removed] }
}
