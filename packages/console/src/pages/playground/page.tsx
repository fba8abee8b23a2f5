import { useTexts } from '../../i18n/language.tsx'
import { Tabs } from '../../ui/overlay.tsx'
import { PageHeader } from '../../ui/page.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { CompletionTab } from './completion/completion-tab.tsx'
import { EmbeddingTab } from './embedding/embedding-tab.tsx'
import { ImageTab } from './image/image-tab.tsx'
import { KeyBar } from './key-bar.tsx'
import { PLACE, TABS } from './models.ts'
import { SpeechTab } from './speech/speech-tab.tsx'
import { TextTab } from './text/text-tab.tsx'
import { TranscriptionTab } from './transcription/transcription-tab.tsx'
import { VideoTab } from './video/video-tab.tsx'

const CONTENTS = {
  text: <TextTab />,
  completion: <CompletionTab />,
  image: <ImageTab />,
  video: <VideoTab />,
  embedding: <EmbeddingTab />,
  speech: <SpeechTab />,
  transcription: <TranscriptionTab />,
}

export default function PlaygroundPage() {
  const t = useTexts().playground
  const [{ tab }, setPlace] = useUrlState(PLACE)
  return (
    <>
      <PageHeader title={t.title} text={t.text} help="use/console#playground" />
      <KeyBar />
      <Tabs
        label={t.title}
        value={TABS.find((each) => each === tab) ?? 'text'}
        onChange={(id) => setPlace({ tab: id, model: '' })}
        tabs={TABS.map((id) => ({ id, label: t.tabs[id], content: CONTENTS[id] }))}
      />
    </>
  )
}
