// A recording by the microphone of this computer.
import { useCallback, useEffect, useRef, useState } from 'react'

/** Browsers record in one of these. */
const ENDINGS: readonly [string, string][] = [
  ['audio/webm', 'webm'],
  ['audio/mp4', 'mp4'],
  ['audio/ogg', 'ogg'],
]
/** A recording that was forgotten must not fill the memory. */
const LONGEST_MS = 10 * 60_000

export type Recorder = {
  isRecording: boolean
  start(): Promise<void>
  stop(): void
}

/** `onDenied`: the person or the browser does not allow it, or there is no microphone. */
export function useRecorder(onRecorded: (recording: File) => void, onDenied: () => void): Recorder {
  const current = useRef<MediaRecorder | undefined>(undefined)
  const [isRecording, setRecording] = useState(false)
  const stop = useCallback(() => {
    if (current.current?.state === 'recording') current.current.stop()
  }, [])
  // The microphone is released when the page is left.
  useEffect(() => stop, [stop])
  const start = async () => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      const recorder = new MediaRecorder(stream)
      const pieces: Blob[] = []
      const timer = setTimeout(stop, LONGEST_MS)
      recorder.ondataavailable = ({ data }) => pieces.push(data)
      recorder.onstop = () => {
        clearTimeout(timer)
        for (const track of stream.getTracks()) track.stop()
        setRecording(false)
        const type = recorder.mimeType
        const ending = ENDINGS.find(([name]) => type.startsWith(name))?.[1] ?? 'webm'
        if (pieces.length > 0) onRecorded(new File(pieces, `recording.${ending}`, { type }))
      }
      current.current = recorder
      recorder.start()
      setRecording(true)
    } catch {
      onDenied()
    }
  }
  return { isRecording, start, stop }
}
