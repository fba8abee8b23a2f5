// The response of an upstream, whether it came by our HTTP client, by `fetch` or from an embedded model.

export type UpstreamResponse = {
  readonly status: number
  /** Announced length of the body, where the client has parsed it already. */
  readonly length?: number | undefined
  /** Bytes of the body that have arrived, framing included, where the client counts them. */
  readonly received?: number
  /** `name`: lowercase. */
  header(name: string): string | null
  /** Lowercase, in order; a repeated one as often as it is sent. */
  headerNames?(): string[]
  /**
   * The next piece of the body, undefined at its end; throws if the body breaks off. A piece that has arrived is returned
   * without a promise, which would cost more than most pieces.
   */
  read(): Uint8Array | undefined | Promise<Uint8Array | undefined>
  /**
   * Gives each piece to `take` at the moment it arrives, until that returns false: a stream of small pieces costs no promise for
   * each. False: the body has ended. Absent where the pieces come from `fetch`.
   */
  readWhile?(take: TakePiece): boolean | Promise<boolean>
  /**
   * The whole body, instead of `read`. Costs half as much as a stream over `fetch`, but has no size limit, reports no
   * progress and is not ended by `cancel`, only by the signal of the request.
   */
  readWhole?(): Promise<Uint8Array>
  /** Discards the rest. */
  cancel(): void
}

/** Whether the next piece may follow at once. */
export type TakePiece = (piece: Uint8Array) => boolean

type Reader = { read(): Promise<{ value?: Uint8Array | undefined }>; cancel(): Promise<void> }

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
    headerNames: () => [...headers.keys()],
    read: () => source()?.read().then(pieceOf),
    readWhole: () => response.bytes(),
    // The reader has seen the error already.
    cancel: () =>
      void source()
        ?.cancel()
        .catch(() => {}),
  }
}

const pieceOf = ({ value }: { value?: Uint8Array | undefined }): Uint8Array | undefined => value

/** Content encodings of upstreams that ignore `accept-encoding: identity`. */
const ENCODINGS: Readonly<Record<string, 'gzip' | 'deflate' | 'brotli' | 'zstd'>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
  zstd: 'zstd',
}

/** Decompresses while reading, so that the size limit applies to the decompressed body. */
export function decompressed(response: UpstreamResponse): UpstreamResponse {
  const encoding = response.header('content-encoding')
  const format = encoding === null ? undefined : ENCODINGS[encoding.trim().toLowerCase()]
  if (format === undefined) return response
  const decoded = responseOf(new Response(streamOf(response).pipeThrough(new DecompressionStream(format))))
  return {
    ...decoded,
    status: response.status,
    header: (name) => (ENCODING_HEADERS.includes(name) ? null : response.header(name)),
    headerNames: () => (response.headerNames?.() ?? []).filter((name) => !ENCODING_HEADERS.includes(name)),
  }
}

const ENCODING_HEADERS = ['content-encoding', 'content-length']

function streamOf(response: UpstreamResponse): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const piece = await response.read()
      if (piece) controller.enqueue(new Uint8Array(piece))
      else controller.close()
    },
    cancel: () => response.cancel(),
  })
}
