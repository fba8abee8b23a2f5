// An upstream whose usage is ten times what was held for it.
import { type Player, recordAll, startPlayer } from './replay-upstream.ts'

export const PROMPT = 'say 20 words'
/** Output tokens that callers ask for, and that are held, and those that are reported: ten times as much, input and all. */
export const ASKED = 1_000
const TOLD = 12_500

export const startLiar = async (): Promise<Player> => await startPlayer(await recordAll(PROMPT, tenfold), 0)

/** The output figure of a usage, made what it is not. */
const tenfold = (piece: string): string =>
  piece.replace(/"(completion_tokens|output_tokens|candidatesTokenCount)":\s*\d+/g, `"$1":${TOLD}`)
