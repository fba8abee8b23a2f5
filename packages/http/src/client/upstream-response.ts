// An upstream's answer, whoever brought it: our own client, Bun's, or an embedded model.

export type UpstreamResponse = {
  readonly status: number
  /** Of the body, where whoever brings it has made it out already. */
  readonly length?: number | undefined
  /** Bytes of the body that have arrived, as they were sent, where whoever brings it knows: framing included. */
  readonly received?: number
  /** The name in small letters. */
  header(name: string): string | null
  /**
   * The next piece of the body, undefined at its end; throws when it breaks off. What is there already comes without a
   * promise: a turn of the loop costs more than most pieces.
   */
  read(): Uint8Array | undefined | Promise<Uint8Array | undefined>
  /**
   * The whole body, instead of `read`. Half the cost of a stream where Bun's client brings the reply, but without a size
   * limit or a sign of progress, and `cancel` does not end it: the signal of the call does.
   */
  readWhole?(): Promise<Uint8Array>
  /** Nothing more is wanted of it. */
  cancel(): void
}

type Reader = { read(): Promise<{ value?: Uint8Array | undefined }>; cancel(): Promise<void> }

/** Of Bun's client, and of the embedded models. */
export function responseOf(response: Response): UpstreamResponse {
  const { status, headers } = response
  let reader: Reader | undefined
  const source = () => {
    reader ??= response.body?.getReader()
    return reader
  }
  return {
    status,
    header: (name) => headers.get(name),
    read: () => source()?.read().then(pieceOf),
    readWhole: () => response.bytes(),
    // An error has been seen by whoever reads.
    cancel: () =>
      void source()
        ?.cancel()
        .catch(() => {}),
  }
}

const pieceOf = ({ value }: { value?: Uint8Array | undefined }): Uint8Array | undefined => value

/** The encodings that an upstream may use although it was asked for none. */
const ENCODINGS: Readonly<Record<string, 'gzip' | 'deflate' | 'brotli' | 'zstd'>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
  zstd: 'zstd',
}

/** Decoded as it is read, so that nobody's compressed megabyte becomes our gigabyte. */
export function decompressed(reply: UpstreamResponse): UpstreamResponse {
  const encoding = reply.header('content-encoding')
  const format = encoding === null ? undefined : ENCODINGS[encoding.trim().toLowerCase()]
  if (format === undefined) return reply
  const decoded = responseOf(new Response(streamOf(reply).pipeThrough(new DecompressionStream(format))))
  return {
    ...decoded,
    status: reply.status,
    header: (name) => (ABOUT_ENCODED.includes(name) ? null : reply.header(name)),
  }
}

const ABOUT_ENCODED = ['content-encoding', 'content-length']

function streamOf(reply: UpstreamResponse): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const piece = await reply.read()
      if (piece) controller.enqueue(new Uint8Array(piece))
      else controller.close()
    },
    cancel: () => reply.cancel(),
  })
}
