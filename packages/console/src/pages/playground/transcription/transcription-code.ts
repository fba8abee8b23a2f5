import { requestSnippet } from '../../../snippets/request-snippet.ts'
import type { Access, Snippet } from '../../../snippets/types.ts'
import type { CodeLanguage } from '../request-code.tsx'
import type { TranscriptionSettings } from './transcription-call.ts'

/** A transcription as code: the recording is a file there. */
export const transcriptionCode = (
  { model, file, language }: TranscriptionSettings,
  codeLanguage: CodeLanguage,
  access: Access,
): Snippet => {
  const body = { model, file, ...(language === '' ? {} : { language }) }
  return requestSnippet(codeLanguage, { protocol: 'transcriptions', body }, access)
}
