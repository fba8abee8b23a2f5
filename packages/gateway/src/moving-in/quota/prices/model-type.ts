// What a model generates, by its name: the programs decide by the path of each request.
import { DEFAULT_TYPE, type ModelType } from '../../../modalities/index.ts'

/** The first that fits. */
const NAMES: readonly (readonly [ModelType, RegExp])[] = [
  ['rerank', /rerank/i],
  ['embedding', /embed|^bge-|^m3e|^tao-8k$|^gte-|^e5-/i],
  ['moderation', /moderation/i],
  ['transcription', /whisper|transcribe|sensevoice|paraformer/i],
  ['speech', /(^|[-/])tts(-|$)|cosyvoice/i],
  ['image', /^dall-e|gpt-image|flux|stable-diffusion|cogview|^wanx|^imagen|ideogram|recraft|seedream|qwen-image/i],
  ['video', /^sora|^veo-|^kling|seedance|^wan\d|hailuo|^vidu|cogvideo/i],
]
export const modelType = (name: string): ModelType => NAMES.find(([, form]) => form.test(name))?.[0] ?? DEFAULT_TYPE

/** Requests of other protocols than models are called by. */
export const isForeign = (name: string): boolean => /^(mj_|suno_|swap_face$|midjourney)/.test(name)
