// Flags that clients put into the text of a prompt: `a cat --rs 1080p --dur 5`. They are found by position, so that a text
// can be edited in place. A name without a value, and a name that is not in the table, is text like any other.

import { wrong } from '../../../canonical/reading.ts'
import type { PromptFlag, VideoSetting, VideoText } from '../../../canonical/video.ts'
import { readSetting } from './settings.ts'

const SETTINGS_BY_NAME: ReadonlyMap<string, VideoSetting> = new Map([
  ['resolution', 'resolution'],
  ['rs', 'resolution'],
  ['ratio', 'ratio'],
  ['rt', 'ratio'],
  ['duration', 'duration'],
  ['dur', 'duration'],
  ['frames', 'frames'],
  ['framespersecond', 'framesPerSecond'],
  ['fps', 'framesPerSecond'],
  ['seed', 'seed'],
  ['camerafixed', 'cameraFixed'],
  ['cf', 'cameraFixed'],
  ['watermark', 'watermark'],
  ['wm', 'watermark'],
])

/** No space is needed before a flag: texts without spaces between words are common. */
const FLAG = /(?<!-)--([a-z]{2,15})(?:\s{0,16}=\s{0,16}|\s{1,16})(?!--[a-z])([^\s,;，；。、]{1,64})/gi

/** `at`: the path of the text in the body. Throws RequestError for a value that its setting cannot have. */
export function findFlags(text: string, at: string): PromptFlag[] {
  const flags: PromptFlag[] = []
  if (!text.includes('--')) return flags
  for (const match of text.matchAll(FLAG)) {
    const [whole, name = '', written = ''] = match
    const setting = SETTINGS_BY_NAME.get(name.toLowerCase())
    if (setting === undefined) continue
    const raw = written.replace(/[.!?)"'”’]+$/, '')
    const end = match.index + whole.length - (written.length - raw.length)
    const value = readSetting(setting, typedValue(raw))
    if (!value.ok) throw wrong(at, `${at}: --${name} must be ${value.expected}, not '${raw}'`)
    const valueStart = end - raw.length
    flags.push({ setting, value: value.value, start: match.index, end, valueStart, valueEnd: end })
  }
  return flags
}

function typedValue(raw: string): unknown {
  if (/^-?\d{1,12}$/.test(raw)) return Number(raw)
  return /^true$/i.test(raw) ? true : /^false$/i.test(raw) ? false : raw
}

/** The text with flags replaced (a value), removed (null) or kept (undefined). A removed flag takes the space before it along. */
export function editFlags(
  text: string,
  flags: readonly PromptFlag[],
  decide: (flag: PromptFlag) => string | number | boolean | null | undefined,
): string {
  let result = ''
  let from = 0
  for (const flag of flags) {
    const value = decide(flag)
    if (value === undefined) continue
    if (value === null) {
      result += text.slice(from, flag.start).trimEnd()
      from = flag.end
    } else {
      result += text.slice(from, flag.valueStart) + String(value)
      from = flag.valueEnd
    }
  }
  return from === 0 ? text : result + text.slice(from)
}

/** The prompt without its flags, for dialects that have none. */
export const plainPrompt = (texts: readonly VideoText[]): string =>
  texts
    .map(({ text, flags }) => editFlags(text, flags, () => null).trim())
    .filter((text) => text !== '')
    .join('\n')
