import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { About, Certificates } from './about.tsx'
import { Jobs, Nodes } from './cluster.tsx'
import { Doctor } from './doctor.tsx'
import { Sizes } from './sizes.tsx'

export default function SystemPage() {
  const t = useOperateTexts().system
  return (
    <>
      <PageHeader title={t.title} text={t.text} help="operate/browser#system" />
      <Nodes />
      <Doctor />
      <div className="grid gap-x-6 wide:grid-cols-2">
        <About />
        <Certificates />
      </div>
      <Sizes />
      <Jobs />
    </>
  )
}
