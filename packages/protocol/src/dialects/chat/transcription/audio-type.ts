// The type of an audio file by what its client says of it. Upstreams go by the extension of its name.

type AudioType = { extension: string; mediaType: string }

const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  mpga: 'audio/mpeg',
  mpeg: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  webm: 'audio/webm',
  aac: 'audio/aac',
  aiff: 'audio/aiff',
  aif: 'audio/aiff',
  amr: 'audio/amr',
  wma: 'audio/x-ms-wma',
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  pcm: 'audio/pcm',
}

/** Types that are written in other ways. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/mp3': 'mp3',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/x-flac': 'flac',
  'audio/m4a': 'm4a',
  'audio/x-m4a': 'm4a',
  'audio/opus': 'opus',
  'video/webm': 'webm',
  'application/ogg': 'ogg',
}

/** `content`: the extension of what the content looks like. undefined: neither that nor name and content type are those of audio. */
export function audioTypeOf(
  filename: string | undefined,
  contentType: string | undefined,
  content: string | undefined,
): AudioType | undefined {
  const extension = /\.([a-z0-9]{1,8})$/i.exec(filename ?? '')?.[1]?.toLowerCase()
  const written = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const isMedia = /^(?:audio|video)\/[\w.+-]{1,64}$/.test(written)
  const known = extension === undefined ? undefined : TYPES[extension]
  if (extension !== undefined && known !== undefined) return { extension, mediaType: isMedia ? written : known }
  if (isMedia || EXTENSIONS[written] !== undefined) {
    const ofType = EXTENSIONS[written] ?? Object.keys(TYPES).find((each) => TYPES[each] === written)
    return { extension: ofType ?? content ?? extension ?? 'bin', mediaType: written }
  }
  return content === undefined ? undefined : { extension: content, mediaType: TYPES[content] ?? 'audio/*' }
}
