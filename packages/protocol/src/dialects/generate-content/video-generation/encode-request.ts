// A request for a video model of this dialect, which makes videos by long-running operations.

import { unsupported } from '../../../canonical/reading.ts'
import type { VideoInput, VideoRequest, VideoRole, VideoSettings } from '../../../canonical/video.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { plainPrompt } from '../../shared/videos/prompt-flags.ts'
import { SETTING_NAMES } from '../../shared/videos/settings.ts'
import type { VideoTarget } from '../../video-service.ts'

const RATIOS = ['16:9', '9:16']
const MOST_REFERENCES = 3

export function encodeRequest(request: VideoRequest, target: VideoTarget, codec: Codec): Pieces {
  const settings = settingsFor(request, target)
  checkInputs(request.inputs)
  warnOfDropped(request, settings, target)
  const image = (role: VideoRole) => request.inputs.filter((input) => input.role === role).map(imageOf)
  const references = image('reference_image').map((reference) => ({ image: reference, referenceType: 'asset' }))
  const instance = withoutAbsent({
    prompt: plainPrompt(request.texts) || undefined,
    image: image('first_frame')[0],
    lastFrame: image('last_frame')[0],
    referenceImages: references.length === 0 ? undefined : references,
  })
  return [codec.encode(JSON.stringify({ instances: [instance], parameters: parametersOf(settings) }))]
}

/** A length in frames takes the place of a default length, as it does for the client's own. */
function settingsFor({ settings }: VideoRequest, { defaults, override }: VideoTarget): VideoSettings {
  return { ...defaults, ...settings, ...override }
}

function parametersOf({ ratio, resolution, duration }: VideoSettings): Record<string, unknown> {
  if (ratio !== undefined && !isModelsChoice(ratio) && !RATIOS.includes(ratio))
    throw unsupported('ratio', `ratio '${ratio}' is not available for this model. Allowed: ${RATIOS.join(', ')}.`)
  return withoutAbsent({
    aspectRatio: ratio === undefined || isModelsChoice(ratio) ? undefined : ratio,
    resolution,
    durationSeconds: duration === -1 ? undefined : duration,
    sampleCount: 1,
  })
}

const isModelsChoice = (ratio: string): boolean => ratio === 'adaptive' || ratio === 'keep_ratio'

function checkInputs(inputs: readonly VideoInput[]): void {
  for (const { item, kind, role } of inputs) {
    const at = `content[${item}]`
    if (kind === 'draft') throw unsupported(at, 'The upstream of this model has no drafts.')
    if (kind !== 'image') throw unsupported(at, `The upstream of this model takes no ${kind} as an input.`)
    if (role === 'mask') throw unsupported(`${at}.role`, 'The upstream of this model takes no mask.')
  }
  const extra = inputs.filter(({ role }) => role === 'reference_image')[MOST_REFERENCES]
  if (extra !== undefined)
    throw unsupported(
      `content[${extra.item}]`,
      `The upstream of this model takes at most ${MOST_REFERENCES} reference images.`,
    )
}

function imageOf({ item, source }: VideoInput): { bytesBase64Encoded: string; mimeType: string } {
  if (source.kind === 'inline') return { bytesBase64Encoded: source.base64, mimeType: source.mediaType }
  const at = `content[${item}].image_url.url`
  throw unsupported(at, `The upstream of this model takes no images by ${source.kind === 'url' ? 'URL' : 'asset id'}.`)
}

/** What the upstream always does, or leaves to the model, needs no warning. */
function warnOfDropped(request: VideoRequest, settings: VideoSettings, { warn }: VideoTarget): void {
  if (request.draft === true) throw unsupported('draft', 'The upstream of this model has no drafts.')
  if (settings.frames !== undefined)
    throw unsupported('frames', 'The upstream of this model takes no number of frames. Send duration instead.')
  const dropped: [name: string, isDropped: boolean][] = [
    [SETTING_NAMES.seed, settings.seed !== undefined && settings.seed !== -1],
    [SETTING_NAMES.cameraFixed, settings.cameraFixed === true],
    [SETTING_NAMES.watermark, settings.watermark === true],
    [SETTING_NAMES.framesPerSecond, settings.framesPerSecond !== undefined && settings.framesPerSecond !== 24],
    ['return_last_frame', request.returnLastFrame === true],
    ['generate_audio', request.generateAudio === false],
    ['service_tier', request.serviceTier !== undefined && request.serviceTier !== 'default'],
    ['execution_expires_after', request.expiresAfter !== undefined],
    ['safety_identifier', request.safetyIdentifier !== undefined],
    ['tools', request.tools.length > 0],
  ]
  for (const [name, isDropped] of dropped) if (isDropped) warn(name, 'dropped')
  for (const { name, text } of request.unknown) if (text !== 'null') warn(name, 'dropped')
}

function withoutAbsent(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
