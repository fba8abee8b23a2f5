// Formats mistakes so that editors and terminals can jump to their lines.
import type { Mistake } from '../yaml/document.ts'

/** `FILE:LINE: message`, one line each; without a line number for the environment, and without a file for what is stored. */
export function formatMistakes(mistakes: readonly Mistake[]): string {
  return mistakes.map(formatMistake).join('\n')
}

function formatMistake({ file, line, message }: Mistake): string {
  const place = line === undefined ? file : `${file}:${line}`
  const text = message.replace(/\s*[\r\n]+\s*/g, ' ')
  return place === '' ? text : `${place}: ${text}`
}
