// Directives in the last user message. The grammar is in README.md; text that does not match is ignored, never an error.

export type RequestedCall = { name: string; input: string | undefined }

export type Directives = {
  calls: RequestedCall[]
  /** "call a tool", "call all tools": without a name. */
  unnamedCalls: 'none' | 'one' | 'all'
  words: number | undefined
  /** Words of reasoning; 0: as many as the reasoning needs. */
  think: number | undefined
  /** `aloud`: full reasoning in dialects that distinguish it from a summary; `secretly`: produced, but not shown. */
  thinkHow: 'plainly' | 'aloud' | 'secretly'
  /** A signature on the first tool call also in a dialect that has no field of its own for one. */
  sign: boolean
  /** Ids of tool calls also where a dialect may leave them out. */
  ids: boolean
  /** Text before the tool calls. */
  explain: boolean
  refuse: boolean
  /** The content filter blocks the answer. */
  filter: boolean
  /** The prompt asks for an image, or for a change of one. */
  draw: boolean
  edit: boolean
  /** The prompt asks for a web search, where one is offered. */
  search: boolean
  paceMs: number | undefined
  cachedTokens: number | undefined
  cacheWrittenTokens: number | undefined
}

/** About 12 MB of text. */
const MOST_WORDS = 2_000_000
/** Later directives are ignored: the search must be cheap for a prompt of many megabytes. */
const SEARCHED = 100_000
const MOST_MENTIONS = 256
// Repetitions in these patterns are bounded: a prompt of spaces must not take quadratic time.
const VERB = /(?<!\b(?:not|don't|never|without)\s{1,4})\b(?:call|use|invoke|run)\b/i
const UNNAMED_ALL =
  /\b(?:call|use|invoke|run)\s+(?:all|every|each)\s+(?:of\s+)?(?:the\s+|your\s+)?(?:tool|function)s?\b/i
const UNNAMED_ONE = /\b(?:call|use|invoke|run)\s+(?:a|an|any|one|the|your)\s+(?:tool|function)\b/i
/** A directive, not a mention: "think hard" is one, "I think so" is not. */
const ORDER = String.raw`(?:^|[.!?;,:\n]\s{0,4}|\b(?:please|and|then|first|now)\s+)`
const THINK = new RegExp(`${ORDER}think\\b(?:\\s+(aloud|secretly)\\b)?(?:\\s+(\\d{1,7})\\s+words\\b)?`, 'i')
const SIGN = new RegExp(`${ORDER}sign\\b`, 'i')
const IDS = /\bwith ids\b/i
const EXPLAIN = new RegExp(`${ORDER}explain\\b`, 'i')
const FILTER = new RegExp(`${ORDER}be filtered\\b`, 'i')
const REFUSE = new RegExp(`${ORDER}refuse\\b`, 'i')
const DRAW = new RegExp(
  `${ORDER}(?:draw|paint|sketch)\\b|\\b(?:generate|create|make|render|show)\\s+(?:me\\s+)?(?:an?|the|\\w{1,12})\\s+(?:image|picture|photo|drawing)\\b`,
  'i',
)
const EDIT = new RegExp(`${ORDER}(?:edit|change|make|turn)\\s+(?:it|them|this|that|these|those)\\b`, 'i')
const SEARCH = new RegExp(`${ORDER}search\\b`, 'i')
const SAY_WORDS = /\b(?:say|write|repeat|give|give me|produce)\s+(\d[\d,_]{0,11})\s+words\b/i
const PACE = /\bpace[ :=]{1,4}(\d{1,5}) ?ms\b/i
const CACHED = /\bcached\s+(\d{1,9})\s+tokens\b/i
const CACHE_WRITTEN = /\bcaching\s+(\d{1,9})\s+tokens\b/i

export function readDirectives(prompt: string, toolNames: readonly string[]): Directives {
  const text = prompt.slice(0, SEARCHED)
  const think = THINK.exec(text)
  return {
    calls: readCalls(text, toolNames),
    unnamedCalls: UNNAMED_ALL.test(text) ? 'all' : UNNAMED_ONE.test(text) ? 'one' : 'none',
    words: cappedWords(SAY_WORDS.exec(text)?.[1]),
    think: think ? (cappedWords(think[2]) ?? 0) : undefined,
    thinkHow: howToThink(think?.[1]),
    sign: SIGN.test(text),
    ids: IDS.test(text),
    explain: EXPLAIN.test(text),
    refuse: REFUSE.test(text),
    filter: FILTER.test(text),
    draw: DRAW.test(text),
    edit: EDIT.test(text),
    search: SEARCH.test(text),
    paceMs: wholeNumber(PACE.exec(text)?.[1]),
    cachedTokens: wholeNumber(CACHED.exec(text)?.[1]),
    cacheWrittenTokens: wholeNumber(CACHE_WRITTEN.exec(text)?.[1]),
  }
}

function howToThink(word: string | undefined): Directives['thinkHow'] {
  const how = word?.toLowerCase()
  return how === 'aloud' || how === 'secretly' ? how : 'plainly'
}

function wholeNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits.replaceAll(/[,_]/g, ''))
}

function cappedWords(digits: string | undefined): number | undefined {
  const count = wholeNumber(digits)
  return count === undefined ? undefined : Math.min(count, MOST_WORDS)
}

/** Offered names after the first verb. A name without input counts once, a name with its own JSON each time. */
function readCalls(text: string, toolNames: readonly string[]): RequestedCall[] {
  const verb = VERB.exec(text)
  if (!verb || toolNames.length === 0) return []
  const directives: RequestedCall[] = []
  let mentions = 0
  for (const match of text.slice(verb.index).matchAll(namePattern(toolNames))) {
    if (++mentions > MOST_MENTIONS) break
    const name = match[0]
    const input = jsonAfter(text, verb.index + match.index + name.length)
    if (input === undefined && directives.some((wish) => wish.name === name)) continue
    const bare = directives.findIndex((wish) => wish.name === name && wish.input === undefined)
    if (bare >= 0) directives[bare] = { name, input }
    else directives.push({ name, input })
  }
  return directives
}

function namePattern(names: readonly string[]): RegExp {
  const longestFirst = [...names].sort((a, b) => b.length - a.length)
  const escaped = longestFirst.map((name) => name.replaceAll(/[^\w]/g, '\\$&'))
  return new RegExp(`(?<![\\w-])(?:${escaped.join('|')})(?![\\w-])`, 'g')
}

/** The JSON object that follows a name, as written: `NAME with {...}`, `NAME({...})`, `NAME: {...}`. */
function jsonAfter(text: string, from: number): string | undefined {
  const lead =
    /^[\s`"')]*(?:tool|function)?\s*(?:with|using|on)?\s*(?:the\s+)?(?:arguments|parameters|input)?[\s:(`]*(?=\{)/
  const start = lead.exec(text.slice(from, from + 80))
  if (!start) return undefined
  const begin = from + start[0].length
  const end = closingBrace(text, begin)
  if (end === undefined) return undefined
  const candidate = text.slice(begin, end)
  try {
    JSON.parse(candidate)
    return candidate
  } catch {
    return undefined
  }
}

function closingBrace(text: string, begin: number): number | undefined {
  let depth = 0
  let inString = false
  for (let index = begin; index < text.length; index++) {
    const character = text[index]
    if (inString) {
      if (character === '\\') index++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return index + 1
  }
  return undefined
}
