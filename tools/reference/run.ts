// npm run reference: writes the generated files and sections. It prints those that changed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectedFiles, onDisk, ROOT } from './generated.ts'
import { GENERATED } from './index.ts'

for (const [file, text] of expectedFiles(GENERATED)) {
  if (onDisk(file) === text) continue
  writeFileSync(join(ROOT, file), text)
  console.log(`wrote ${file}`)
}
