// Mistakes as lines that an editor or a terminal can jump to.
import type { Mistake } from './types.ts'

/** `FILE:LINE: message`, one line each; without a line number where there is no line, as for the environment. */
export function formatMistakes(mistakes: readonly Mistake[]): string {
  return mistakes.map(formatMistake).join('\n')
}

function formatMistake({ file, line, message }: Mistake): string {
  const place = line === undefined ? file : `${file}:${line}`
  return `${place}: ${message.replace(/\s*[\r\n]+\s*/g, ' ')}`
}
