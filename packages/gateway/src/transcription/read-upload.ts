// Reads the form of a transcription: its file to disk, and how long the audio in it lasts.

import {
  checkFile,
  decodeTranscription,
  type FormField,
  type FormFile,
} from '@trivium/protocol/dialects/chat/transcription/decode-form.ts'
import type { TranscriptionTask } from '@trivium/protocol/dialects/shared/transcription/transcription.ts'
import { authorize } from '../access/authorize.ts'
import { MOST_MEGABYTES } from '../endpoints/transcriptions/modality/index.ts'
import type { MeasuredAudio } from '../media/audio/audio-durations.ts'
import { GOOD_BYTES_PER_SECOND } from '../media/audio/packets.ts'
import { fundsCheck, type UploadFor } from '../media/check-funds.ts'
import { readForm, type UploadedFile } from '../media/read-form.ts'
import { isClaimed } from '../paid-call/claim.ts'
import type { Kind, PaidRequest } from '../paid-call/paid-request.ts'
import { Failure } from '../request/failure.ts'
import { sendsJson } from '../request/read-json.ts'
import { readJsonForm } from './read-json-form.ts'
import type { TranscriptionDependencies } from './transcription-call.ts'
import { type HeardAudio, longest, type ReadRequest } from './transcription-call.ts'

const MEGABYTE = 1024 * 1024
/** Samples of up to four voices are fields, as data URLs. */
const FIELDS = { fieldBytes: MEGABYTE, allFieldsBytes: 4 * MEGABYTE }

/** The least that is worth an upload. */
const TRANSCRIPTS: UploadFor<'transcription'> = {
  type: 'transcription',
  does: 'transcribes audio',
  cheapest: ({ rate }) => rate.cost({ seconds: 1, report: {}, textBytes: 0 }).cost,
}

export async function readUpload(
  admitted: PaidRequest<Kind & { endpoint: TranscriptionTask }>,
  deps: TranscriptionDependencies,
): Promise<ReadRequest> {
  const { incoming, endpoint: task, caller, slot, catalogue, idempotencyKey } = admitted
  const { http, record } = incoming
  const offerOf = (model: string) => authorize(caller, model, 'transcription', catalogue)
  const isRepeatable = idempotencyKey !== null
  const mayReplay = async () => isRepeatable && (await isClaimed(idempotencyKey, incoming, caller, deps))
  const checkFunds = fundsCheck(TRANSCRIPTS, caller, catalogue, mayReplay, deps)
  let files = 0
  const rules = {
    fileBytes: MOST_MEGABYTES * MEGABYTE,
    fields: FIELDS,
    began: (part: Pick<FormFile, 'name'>) => checkFile(part, ++files),
    async onField({ name, value }: FormField) {
      if (name === 'model' && value !== '') await checkFunds(offerOf(value))
    },
    inspect: inspectFile,
  }
  const context = { account: caller.account, bodyBytes: catalogue.config.server.limits.uploadBytes, slot, isRepeatable }
  const form = sendsJson(http)
    ? await readJsonForm(admitted, { ...rules, fieldsBytes: FIELDS.allFieldsBytes }, deps)
    : await readForm(http, context, rules, deps)
  const { fields, files: uploaded, fingerprint, close } = form
  try {
    const request = decodeTranscription(task, fields, uploaded)
    record.model = request.model
    checkSize(request.file.bytes, offerOf(request.model).model.limits.megabytes)
    const measured = await deps.audioDurations.measure(caller.account, request.file.handle)
    return { request: { ...request, audio: heardAudio(measured, request.file.bytes) }, fingerprint, close }
  } catch (error) {
    await close()
    throw error
  }
}

function checkSize(bytes: number, megabytes = MOST_MEGABYTES): void {
  if (bytes <= megabytes * MEGABYTE) return
  throw new Failure('request_too_large', `file must not be larger than ${megabytes} MB for this model.`, {
    param: 'file',
  })
}

/** Speech takes 1,000 bytes a second where it is compressed most, and usually four times as many. */
const FEWEST_BYTES_PER_SECOND = 1_000
const USUAL_BYTES_PER_SECOND = 4_000
/** The rate of eight channels in the best quality: a file that claims less is wrong about itself. */
const MOST_BYTES_PER_SECOND = 4 * MEGABYTE

/** A length that is not counted is never believed to be shorter than good music of so many bytes. Without one the size alone tells. */
export function heardAudio(measured: MeasuredAudio | undefined, bytes: number): HeardAudio {
  if (!measured || !Number.isFinite(measured.seconds) || measured.seconds <= 0)
    return { seconds: bytes / USUAL_BYTES_PER_SECOND, most: bytes / FEWEST_BYTES_PER_SECOND }
  const least = bytes / (measured.isCounted ? MOST_BYTES_PER_SECOND : GOOD_BYTES_PER_SECOND)
  const seconds = Math.min(Math.max(measured.seconds, least), longest(bytes))
  return { seconds, most: seconds }
}

const BEGINNING = 64

async function inspectFile({ name, filename, contentType, size, stored }: UploadedFile): Promise<FormFile> {
  const beginning = size === 0 ? '' : await Bun.file(stored.path).slice(0, BEGINNING).bytes().then(latin1)
  const content = CONTENTS.find(([signature]) => signature.test(beginning))?.[1]
  return { name, filename, contentType, bytes: size, handle: stored.path, content }
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** The extensions of audio and video files by their first bytes. */
const CONTENTS: readonly (readonly [signature: RegExp, extension: string])[] = [
  [/^RIFF....WAVE/s, 'wav'],
  [/^FORM....AIF/s, 'aiff'],
  [/^fLaC/, 'flac'],
  [/^OggS/, 'ogg'],
  [/^\xff[\xf0\xf1\xf8\xf9]/, 'aac'],
  [/^(?:ID3|\xff[\xe0-\xff])/, 'mp3'],
  [/^....ftypM4A/s, 'm4a'],
  [/^....ftyp/s, 'mp4'],
  [/^\x1aE\xdf\xa3/, 'webm'],
  [/^#!AMR/, 'amr'],
  [/^0&\xb2u/, 'wma'],
]
